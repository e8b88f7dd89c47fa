import { streamedAnswer } from "@sightline/foundation/http/streamed-answer";
import { Readable } from "node:stream";
import type { Clock } from "@sightline/foundation/clock";
import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { Logger } from "@sightline/foundation/log";
import { createGauge, type Metrics } from "@sightline/foundation/http/metrics";
import { getPrincipal } from "@sightline/foundation/http/principal";
import { exportRequestSchema } from "#contract.ts";
import type { Recheck } from "#query/access/authenticators.ts";
import { traceNotFound } from "#query/access/not-found.errors.ts";
import { toLimitOwner } from "#query/access/request-reader.ts";
import { enterProject, projectParams } from "#query/access/project-route.ts";
import type { Query } from "#schema.ts";
import type { InProject } from "#store/reader.ts";
import { findEntries, findEntry, type EntryRow } from "#query/list/list-traces.store.ts";
import { findTrace } from "#query/steps/traces.store.ts";
import { readListTerms } from "#query/list/list-terms.ts";
import { exportTable } from "./export-table.ts";
import { exportTraces, exportPages } from "./export-traces.ts";

/** Exports that one user or key, and this process, may run at once: each holds a batch of values in memory, and a connection while it reads one. */
const OF_ONE = 3;
const OF_ALL = 20;

/** The exports that are being sent. */
function createRunningExports() {
  const running = new Map<symbol, string>();
  return {
    count: (): number => running.size,
    /**
     * @returns what is to be called when it is over.
     * @throws {AppError} `too_many_exports` (429).
     */
    enter: (owner: string): (() => void) => {
      const own = Array.from(running.values()).filter((each) => each === owner).length;
      if (own >= OF_ONE || running.size >= OF_ALL) {
        throw refusal(
          429,
          "too_many_exports",
          `At most ${OF_ONE} exports run at once for one user or key, and ${OF_ALL} for all; wait until one has ended.`,
          { headers: { "retry-after": "30" } },
        );
      }
      const id = Symbol(owner);
      running.set(id, owner);
      return () => void running.delete(id);
    },
  };
}

type ExportRoutesOptions = {
  readonly query: Query;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Checks again and again, while an export runs, whether its reader may still read. */
  readonly recheck: Recheck;
};

/** Chunks that wait for a slow client. */
const WAITING_CHUNKS = 2;

/** A project's traces taken away, as lines of JSON or a table that are read while they are sent. */
export function exportRoutes({ query, clock, log, metrics, recheck }: ExportRoutesOptions) {
  const running = createRunningExports();
  createGauge(metrics, {
    name: "studio_exports_running",
    help: "Exports that are being sent.",
    labels: [],
    read: async () => [{ labels: {}, value: running.count() }],
  });

  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/export",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary:
            "Traces with their steps and scores, one JSON object a line, newest traces first; the last line says whether it is whole; or as CSV the traces alone; also by an API key with the scope read",
          params: projectParams,
          querystring: exportRequestSchema,
          response: { 200: streamedAnswer(["application/jsonl", "text/csv"], "One JSON object a line, or a table.") },
        },
      },
      async (request, reply) => {
        const { q, trace_id: traceId, trace_ids: ids, include, format } = request.query;
        const since = clock.now();
        const [from, to] = [toDate(request.query.from), toDate(request.query.to)];
        const terms = readListTerms({ q });
        const mayRead = () => enterProject(query, request, "viewer");
        const { reader, projectId } = await mayRead();
        if (from !== undefined && to !== undefined && from >= to) {
          throw refusal(400, "invalid_request", "Nothing is between from and to: give a to that is later.");
        }
        const pages =
          traceId !== undefined
            ? [[await findOne(query, { reader, projectId, traceId })]]
            : ids === undefined
              ? exportPages(query, { reader, projectId, terms, from, to, now: clock.now() })
              : [await findEntries(query, { reader, projectId, ids })];
        const options = {
          query,
          projectId,
          pages,
          check: async () => {
            await recheck(request, since);
            await mayRead();
          },
          onError: (error: unknown) => log.error({ err: error, project: projectId }, "an export could not be finished"),
        };
        const lines = format === "csv" ? exportTable(options) : exportTraces({ ...options, reader, withValues: include === "values" });
        const name = `sightline-${traceId === undefined ? "traces" : `trace-${traceId}`}-${clock.now().toISOString().slice(0, 10)}.${format}`;
        const leave = running.enter(toLimitOwner(getPrincipal(request)));
        const stream = Readable.from(lines, { objectMode: true, highWaterMark: WAITING_CHUNKS }).once("close", leave);
        return reply
          .type(`${format === "csv" ? "text/csv" : "application/jsonl"}; charset=utf-8`)
          .header("content-disposition", `attachment; filename="${name}"`)
          .header("cache-control", "no-store")
          .send(stream);
      },
    );
  };
}

async function findOne(query: Query, wanted: InProject & { readonly traceId: string }): Promise<EntryRow> {
  const trace = await findTrace(query, wanted);
  return orRefuse(trace === undefined ? undefined : await findEntry(query, { ...wanted, id: trace.id }), traceNotFound);
}

function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
