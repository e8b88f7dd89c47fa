import { orRefuse } from "@sightline/foundation/errors";
import type { Trace, TraceDigest } from "#contract.ts";
import type { Query } from "#schema.ts";
import { findWholeBlobs } from "#query/steps/blobs.store.ts";
import { findRun, type FoundSegment, type Run } from "#query/steps/find-run.store.ts";
import { findDeclaredGraphs, findGraphEntries, findGraphObservations } from "#query/graph/graphs.store.ts";
import { countLostEventsOfTrace, listTouchingGaps } from "#query/steps/lost-events.store.ts";
import { findPayloadTexts } from "#query/steps/payload-texts.store.ts";
import type { InProject } from "#store/reader.ts";
import { withSpoken } from "#query/steps/spoken.store.ts";
import { findVersions } from "#query/steps/steps.store.ts";
import { findTrace, type TraceSummaryRow } from "#query/steps/traces.store.ts";
import { takeWhileLight } from "#query/steps/answer-size.ts";
import { traceNotFound } from "#query/access/not-found.errors.ts";
import { mergeAttributes, toValues } from "#query/steps/payload-values.ts";
import { presentGraph } from "#query/graph/present-graph.ts";
import { presentTraceLabels, presentTraceSummary } from "#query/steps/present-trace.ts";
import { readSeen, writeRevision } from "#query/steps/revision.ts";

type DigestQuery = InProject & { readonly traceId: string };

const MAX_GAPS = 100;
const MAX_CURRENT_NODES = 100;
const CURRENT_BYTES = 100_000;
/** How many segments' attributes are shown: so many of the first, and of the last. */
const MAX_SHOWN = 10;

/** Reads a trace without its steps. The revision is read first: what changes meanwhile is reported twice rather than missed. */
export async function readDigest(query: Query, wanted: DigestQuery): Promise<TraceDigest> {
  const run = orRefuse(await findRun(query, wanted), traceNotFound);
  const revision = writeRevision(readSeen(await findVersions(query, run)).revision);
  const trace = orRefuse(await findTrace(query, wanted), traceNotFound);
  const lost = await countLostEventsOfTrace(query, run);
  const gaps = lost === 0 ? [] : await listTouchingGaps(query, run, MAX_GAPS);
  const { graph, current } = await readGraph(query, run, trace);
  return {
    ...presentTraceSummary(trace, lost),
    ...presentTraceLabels(trace),
    project_id: run.projectId,
    truncated: graph?.truncated ?? false,
    ...(await readOwnValues(query, run, trace)),
    error: trace.error,
    segments: [...trace.segments],
    graph,
    steps_total: trace.steps,
    revision,
    waits: waitsOf(trace.segments),
    gaps: gaps.map((gap) => ({ ...gap, events: gap.last_seq - gap.first_seq + 1, found_at: gap.found_at.toISOString() })),
    current: [...current],
  };
}

async function readGraph(
  query: Query,
  run: Run,
  trace: TraceSummaryRow,
): Promise<{ readonly graph: Trace["graph"]; readonly current: readonly string[] }> {
  const observations = await findGraphObservations(query, run);
  const found = presentGraph(trace, observations, await findGraphEntries(query, run));
  const running = trace.status === "running" ? observations.filter(({ end_status: status }) => status === null) : [];
  const names = [...new Set(running.flatMap(({ id }) => found.nodeOf.get(id) ?? []))];
  const innermost = names.filter((name) => !names.some((other) => other.startsWith(`${name}:`)));
  return {
    graph: found.withDeclared(await findDeclaredGraphs(query, run.projectId, found.hashes)),
    current: takeWhileLight(innermost.slice(0, MAX_CURRENT_NODES), CURRENT_BYTES),
  };
}

async function readOwnValues(
  query: Query,
  run: Run<FoundSegment>,
  trace: TraceSummaryRow,
): Promise<Pick<TraceDigest, "input" | "output" | "attributes" | "stack">> {
  const { segments } = run;
  const shown = segments.length <= 2 * MAX_SHOWN ? segments : [...segments.slice(0, MAX_SHOWN), ...segments.slice(-MAX_SHOWN)];
  const eventIds = shown.flatMap(({ start_event: start, end_event: end }) => [start, end]).filter((event) => event !== null);
  const texts = await findPayloadTexts(query, run, { eventIds, updatesOf: [] });
  const payloads = await toValues(texts, (hashes) => findWholeBlobs(query, run.projectId, hashes));
  const byEvent = new Map(payloads.map((payload) => [payload.event_id, payload]));
  const end = byEvent.get(trace.end_event ?? "");
  const input = byEvent.get(trace.start_event ?? "")?.value ?? null;
  const own = { input, output: end?.value ?? null, error: trace.error };
  return {
    ...(await withSpoken(query, { ...run, id: trace.id, runs: segments.map(({ id }) => id) }, own)),
    stack: end?.stack ?? null,
    attributes: mergeAttributes(eventIds.flatMap((event) => byEvent.get(event) ?? [])),
  };
}

function waitsOf(segments: TraceSummaryRow["segments"]): TraceDigest["waits"] {
  return segments.flatMap(({ ended_at: from }, index) => {
    const to = segments[index + 1]?.started_at;
    return from === null || to === undefined || from >= to ? [] : [{ from, to }];
  });
}
