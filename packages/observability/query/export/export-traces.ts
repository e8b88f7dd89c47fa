import type { Query } from "#schema.ts";
import { listEntries, type EntryPosition, type EntryRow } from "#query/list/list-traces.store.ts";
import type { Reader, InProject } from "#store/reader.ts";
import type { ListTerm } from "#query/conditions/conditions.ts";
import { AppError } from "@sightline/foundation/errors";
import type { ExportEnd } from "#contract.ts";
import { tracesBeingCounted } from "#query/list/trace-query.errors.ts";
import { refreshEntries } from "#query/list/refresh-entries.ts";
import { presentEntry } from "#query/list/list-traces.routes.ts";
import { findRuns, type FoundSegment, type Run } from "#query/steps/find-run.store.ts";
import { findPayload, readAttributes, presentStep, presentValues } from "#query/steps/present-step.ts";
import type { StepRow } from "#query/steps/step.store.ts";
import { findBlobs } from "#query/steps/blobs.store.ts";
import {
  findExportedPayloads,
  findExportedScores,
  findExportedSteps,
  findPayloadSizes,
  type ExportPosition,
  type ExportedPayload,
  type PayloadSize,
} from "./export.store.ts";
import { countLostEvents } from "#query/steps/lost-events.store.ts";
import { withSpoken } from "#query/steps/spoken.store.ts";
import { resolveBlobs } from "#query/steps/resolve-blobs.ts";
import { toLine } from "./export-line.ts";

export type ExportOptions = {
  readonly query: Query;
  readonly reader: Reader;
  readonly projectId: string;
  readonly withValues: boolean;
  /** Traces page by page; each is asked for when the one before was given out. */
  readonly pages: AsyncIterable<readonly EntryRow[]> | Iterable<readonly EntryRow[]>;
  /**
   * Asked after each page and before the end: what one may no longer read, the statements do not find.
   *
   * @throws {AppError} when who exports may not go on.
   */
  readonly check: () => Promise<void>;
  /** Called with the reason when the export ends early. */
  readonly onError: (error: unknown) => void;
};

/** Rows asked for at once; and bytes of values, which is what an export holds in memory. */
const ROWS = 500;
const VALUES_BYTES = 4 * 1024 * 1024;
/** Lines go out together until they are as long as this. */
const CHUNK = 64 * 1024;

/**
 * A project's traces as lines of JSON: of each page its traces, then their steps, then their scores, and one `end` after all. Nothing is
 * read before it is asked for, no transaction is open in between, and as much is in memory as one batch holds. What fails on the way ends
 * the export with `complete: false`.
 */
export async function* exportTraces(options: ExportOptions): AsyncGenerator<string> {
  const counts = { traces: 0, observations: 0 };
  let chunk = "";
  try {
    for await (const [name, line] of linesOf(options)) {
      if (name !== "score") {
        counts[name === "trace" ? "traces" : "observations"] += 1;
      }
      chunk += line;
      if (chunk.length >= CHUNK) {
        yield chunk;
        chunk = "";
      }
    }
    yield chunk + end({ ...counts, complete: true });
  } catch (error) {
    options.onError(error);
    yield chunk + end({ ...counts, complete: false, message: messageFor(error) });
  }
}

function end(counts: Omit<ExportEnd, "type">): string {
  return toLine({ type: "end", ...counts });
}

function messageFor(error: unknown): string {
  return error instanceof AppError && error.status < 500
    ? `The export ended early. ${error.message}`
    : "The export could not be finished; ask for it again, or for a shorter time.";
}

type NamedLine = readonly ["trace" | "observation" | "score", string];

async function* linesOf({ query, reader, projectId, withValues, pages, check }: ExportOptions): AsyncGenerator<NamedLine> {
  for await (const page of pages) {
    const run = await findRuns(query, { reader, projectId, ids: page.flatMap(({ runs }) => runs) });
    const traceOf = new Map(page.flatMap(({ id, runs }) => runs.map((part) => [part, id] as const)));
    const lost = await countLostEvents(query, projectId, page);
    for await (const { row, payloads } of withPayloads(query, run, [page], withValues, ({ runs: ids }) => ids)) {
      const values = withValues ? await withSpoken(query, { projectId, reader, ...row }, valuesOf(row, run, payloads)) : undefined;
      yield ["trace", toLine({ type: "trace", project_id: projectId, ...presentEntry(row, lost), runs: row.runs, ...values })];
    }
    const steps = pagesOf((after) => findExportedSteps(query, run, { after, limit: ROWS }));
    for await (const { row, payloads } of withPayloads(query, run, steps, withValues, ({ id }) => [id])) {
      yield ["observation", stepLine(row, traceOf.get(row.trace_id) ?? row.trace_id, withValues ? payloads : undefined)];
    }
    for await (const scores of pagesOf((after) => findExportedScores(query, run, { after, limit: ROWS }))) {
      for (const { trace_id: runId, scored_at: scoredAt, ...score } of scores) {
        yield ["score", toLine({ type: "score", trace_id: traceOf.get(runId) ?? runId, ...score, scored_at: scoredAt.toISOString() })];
      }
    }
    await check();
  }
  await check();
}

async function* pagesOf<Row extends { readonly id: string; readonly trace_id: string }>(
  find: (after: ExportPosition | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let after: ExportPosition | undefined;
  for (;;) {
    const rows = await find(after);
    yield rows;
    const last = rows.at(-1);
    if (rows.length < ROWS || last === undefined) {
      return;
    }
    after = { traceId: last.trace_id, id: last.id };
  }
}

type Loaded<Row> = { readonly row: Row; readonly payloads: readonly ExportedPayload[] };

/** Each row with what its events carried, read for as many rows at a time as memory is meant to hold. */
async function* withPayloads<Row>(
  query: Query,
  run: Run,
  pages: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  withValues: boolean,
  ownersOf: (row: Row) => readonly string[],
): AsyncGenerator<Loaded<Row>> {
  for await (const rows of pages) {
    const sizes = withValues && rows.length > 0 ? await findPayloadSizes(query, run, rows.flatMap(ownersOf)) : [];
    const byOwner = Map.groupBy(sizes, ({ owner_id: owner }) => owner);
    for (const batch of batchesOf(rows, (row) => ownersOf(row).flatMap((owner) => byOwner.get(owner) ?? []))) {
      const payloads = await readPayloads(
        query,
        run,
        batch.flatMap(({ events }) => events.map(({ event_id: id }) => id)),
      );
      const contents = Map.groupBy(payloads, ({ owner_id: owner }) => owner);
      for (const { row } of batch) {
        yield { row, payloads: ownersOf(row).flatMap((owner) => contents.get(owner) ?? []) };
      }
    }
  }
}

type Sized<Row> = { readonly row: Row; readonly events: readonly PayloadSize[] };

function* batchesOf<Row>(rows: readonly Row[], eventsOf: (row: Row) => readonly PayloadSize[]): Generator<readonly Sized<Row>[]> {
  let batch: Sized<Row>[] = [];
  let bytes = 0;
  for (const row of rows) {
    const events = eventsOf(row);
    const size = events.reduce((sum, event) => sum + event.size, 0);
    if (batch.length > 0 && bytes + size > VALUES_BYTES) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push({ row, events });
    bytes += size;
  }
  yield batch;
}

async function readPayloads(query: Query, run: Run, eventIds: readonly string[]): Promise<readonly ExportedPayload[]> {
  return eventIds.length === 0
    ? []
    : resolveBlobs(await findExportedPayloads(query, run, eventIds), (hashes) => findBlobs(query, run.projectId, hashes));
}

function valuesOf(row: EntryRow, { segments }: Run<FoundSegment>, payloads: readonly ExportedPayload[]) {
  const eventOf = (run: string | undefined, half: "start_event" | "end_event") => segments.find(({ id }) => id === run)?.[half] ?? null;
  const last = findPayload(payloads, eventOf(row.runs.at(-1), "end_event"));
  return {
    input: findPayload(payloads, eventOf(row.runs[0], "start_event"))?.value ?? null,
    output: last?.value ?? null,
    error: row.error,
    attributes: readAttributes(payloads),
    stack: last?.stack ?? null,
  };
}

function stepLine(row: StepRow, traceId: string, payloads: readonly ExportedPayload[] | undefined): string {
  return toLine({
    type: "observation",
    trace_id: traceId,
    run_id: row.trace_id,
    ...presentStep(row),
    ...(payloads === undefined ? {} : { ...presentValues(row, payloads), stack: findPayload(payloads, row.end_event)?.stack ?? null }),
  });
}

type ExportQuery = InProject & {
  readonly terms: readonly ListTerm[];
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly now: Date;
};

/** Each page is a statement of its own, with the time limit of the list. */
const TRACES = 50;

/** How long an export counts what was written before it. */
const COUNTING_MS = 60_000;

/**
 * Newest first; what begins after the first page was read is not among them.
 *
 * @throws {AppError} `traces_being_counted` when not all that was written before can be counted in time.
 */
export async function* exportPages(query: Query, wanted: ExportQuery): AsyncGenerator<readonly EntryRow[]> {
  const { reader, projectId, from, to, now } = wanted;
  const terms = [...wanted.terms, ...timeTerms(wanted)];
  if (!(await refreshEntries(query, projectId, COUNTING_MS)).isCounted) {
    throw tracesBeingCounted();
  }
  let after: EntryPosition | undefined;
  do {
    const { rows, next } = await listEntries(query, {
      reader,
      projectId,
      terms,
      now,
      sort: "started",
      order: "desc",
      after,
      limit: TRACES,
    });
    const inTime = rows.filter(({ sort_at: at }) => (from === undefined || at >= from) && (to === undefined || at < to));
    if (inTime.length > 0) {
      yield inTime;
    }
    after = next;
  } while (after !== undefined);
}

/** A time exact to the second, as the list's query has them. */
function timeTerms({ from, to }: ExportQuery): readonly ListTerm[] {
  if (from === undefined && to === undefined) {
    return [];
  }
  const range = {
    ...(from === undefined ? {} : { min: from.toISOString().slice(0, 19) }),
    ...(to === undefined ? {} : { max: to.toISOString().slice(0, 19) }),
    withMin: true,
    withMax: true,
  };
  return [{ kind: "time", field: "started", ranges: [range], isNegated: false, from: 0, to: 0 }];
}
