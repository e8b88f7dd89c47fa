import type { Database } from "@sightline/foundation/database/database";
import { z } from "zod";
import { comparisonSchema, listedTraceSchema, observationSchema, stepPageSchema, traceDigestSchema, tracePageSchema } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { findFailures } from "#trace-facts/find-failures.ts";
import { growTree } from "#trace-facts/step-tree.ts";
import type { ApiRig } from "./api-rig.ts";
import { callTool } from "./call-tool.ts";

type Read = {
  readonly api: ApiRig;
  readonly database: Database<ObservabilitySchema>;
  readonly projectId: string;
  readonly traceName: string;
};

/** As a line of an export has them. */
const exportedTraceSchema = listedTraceSchema.extend({ type: z.literal("trace") });
const exportedStepSchema = observationSchema
  .pick({ id: true, parent_id: true, name: true, status: true, error: true, started_at: true, ended_at: true })
  .extend({ type: z.literal("observation") });

/** All six tell this number. */
export function everywhere(count: number) {
  return { list: count, head: count, page: count, assistants: count, compare: count, export: count };
}

/**
 * What the list, the head of a trace, its page, the tool for assistants, a comparison and an export say of the failures of a trace that
 * `tenant-1` may see.
 */
export async function readFailures({ api, database, projectId, traceName }: Read) {
  const project = `/api/v1/projects/${projectId}`;
  const base = `${project}/traces`;
  const [listed] = tracePageSchema.parse((await api.get(`${base}?name=${encodeURIComponent(traceName)}`)).body).items;
  if (listed === undefined) {
    throw new Error(`no trace is called ${traceName}`);
  }
  const { id } = listed;
  const head = traceDigestSchema.parse((await api.get(`${base}/${id}/summary`)).body);
  const { items: steps } = stepPageSchema.parse((await api.get(`${base}/${id}/steps`)).body);
  const page = findFailures(growTree(steps), head);
  const outline = await callTool(database, "get_trace", { trace: id });
  const [, outlined = "0"] = /, (\d+) failed/u.exec(outline) ?? [];
  const compared = comparisonSchema.parse((await api.get(`${project}/compare?a=${id}&b=${id}`)).body).b;
  const exported = await readExport(api, `${project}/export?trace_id=${id}`);
  const inExport = findFailures(growTree(exported.steps), exported.trace);
  const nameOf = (step: string) => steps.find((each) => each.id === step)?.name ?? step;
  return {
    counts: {
      list: listed.failures,
      head: head.failures,
      page: page.causes.length + (page.isOwn ? 1 : 0),
      assistants: Number(outlined),
      compare: compared.failures,
      export: exported.trace.failures,
    },
    causes: page.causes.map(({ name }) => name),
    caught: Object.fromEntries(Array.from(page.caughtBy, ([step, by]) => [nameOf(step), by.name])),
    reason: page.reason?.name,
    /** Read off the steps of the export, as its reader would. */
    exported: { causes: inExport.causes.map(({ name }) => name), reason: inExport.reason?.name },
    outline,
  };
}

/** The lines of an export of one trace. */
async function readExport(api: ApiRig, url: string) {
  const { body } = await api.server.inject({ url, headers: { authorization: "Bearer tenant-1:member" } });
  const lines: readonly unknown[] = body
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return {
    trace: exportedTraceSchema.parse(lines[0]),
    steps: lines.flatMap((line) => exportedStepSchema.safeParse(line).data ?? []),
  };
}
