import type { EntryOrigin } from "#events/stream-entry.ts";
import type { StreamEvent } from "#events/event.ts";
import type { BatchRows, ObservationWrite, PayloadWrite, ProducerWrite, TraceWrite } from "#ingest/writing/batch-rows.ts";
import { toLine } from "#messages/line.ts";
import { shortenHash, findReferences, isHash } from "#store/blob-reference.ts";
import { listSearchWords } from "#store/search-words.ts";
import { toInstant } from "#ingest/writing/instant.ts";
import { higher, lower, mergeHalves } from "./merge-halves.ts";
import { scoreColumns } from "./score-columns.ts";
import { toMultirange } from "./multirange.ts";
import { placeOf, rankOfEnd, rankOfStart } from "./place-half.ts";
import { plausible } from "./plausible-number.ts";
import { listTraceFields } from "./trace-fields.ts";
import { usageColumns } from "./usage-columns.ts";

type Mutable<Row> = { -readonly [Column in keyof Row]: Row[Column] };

type Fold = {
  readonly traces: Map<string, TraceWrite>;
  readonly observations: Map<string, ObservationWrite>;
  readonly payloads: Map<string, PayloadWrite>;
  readonly blobs: Map<string, BatchRows["blobs"][number]>;
  /** By trace; the contents once each. */
  readonly blobReferences: Map<string, { readonly project_id: string; readonly trace_id: string; readonly contents: Set<string> }>;
  readonly graphs: Map<string, BatchRows["graphs"][number]>;
  readonly scores: Map<string, BatchRows["scores"][number]>;
  readonly producers: Map<string, ProducerFold>;
};

type ProducerFold = { readonly row: Mutable<Omit<ProducerWrite, "seen">>; readonly seqs: number[] };

/** An entry that was set aside but says who sent it: it arrived, so its number is no loss. */
export type SetAsideOrigin = EntryOrigin & { readonly at: string };

/**
 * What a batch of events writes. The same events in any order, and any of them twice, give the same rows;
 * the store merges rows by the same rule, so that how events fall into batches doesn't matter either.
 */
export function toRows(events: readonly StreamEvent[], setAside: readonly SetAsideOrigin[] = []): Omit<BatchRows, "deadLetters"> {
  const fold: Fold = {
    traces: new Map(),
    observations: new Map(),
    payloads: new Map(),
    blobs: new Map(),
    blobReferences: new Map(),
    graphs: new Map(),
    scores: new Map(),
    producers: new Map(),
  };
  for (const given of events) {
    const event = normalise(given);
    addProducer(fold, event);
    addEvent(fold, event);
  }
  for (const { projectId, producerId, seq, at } of setAside) {
    countSeq(fold, { projectId: projectId.toLowerCase(), producerId: producerId.toLowerCase(), seq }, toInstant(at));
  }
  return {
    traces: inOrder(fold.traces),
    observations: inOrder(fold.observations),
    payloads: inOrder(fold.payloads),
    blobs: inOrder(fold.blobs),
    blobReferences: inOrder(fold.blobReferences).map((row) => ({ ...row, contents: [...row.contents] })),
    releasedBlobs: inOrder(withoutReference(fold)),
    graphs: inOrder(fold.graphs),
    scores: inOrder(fold.scores),
    producers: inOrder(fold.producers).map(({ row, seqs }) => ({ ...row, seen: toMultirange(seqs) })),
  };
}

/** UUIDs are the same in upper and lower case to PostgreSQL, so they must be to the maps here. */
function normalise(event: StreamEvent): StreamEvent {
  const { id, project_id, producer_id, ts } = event;
  return {
    ...event,
    id: id.toLowerCase(),
    project_id: project_id.toLowerCase(),
    producer_id: producer_id.toLowerCase(),
    ts: toInstant(ts),
  };
}

function addEvent(fold: Fold, event: StreamEvent): void {
  switch (event.type) {
    case "trace.start": {
      const { trace_id: traceId, started_at: startedAt, input, attributes, ...body } = event.body;
      const names = { name: body.name, thread_id: body.thread_id, session_id: body.session_id, user_id: body.user_id };
      const isStandIn = body.stands_in_since !== undefined;
      mergeTrace(fold, event, traceId, {
        name: body.name,
        thread_id: body.thread_id,
        own_session_id: body.session_id,
        own_user_id: body.user_id,
        told_session_id: isStandIn ? body.session_id : undefined,
        told_user_id: isStandIn ? body.user_id : undefined,
        ...placeOf("start", event, rankOfStart(event.body)),
        started_at: toInstant(startedAt),
        start_words: listSearchWords([...Object.values(names), input]),
        start_fields: listTraceFields(event.body),
        start_line: toLine(input, { side: "input", isModelCall: false }),
        purpose: body.purpose === "live" ? undefined : body.purpose,
      });
      addPayload(fold, event, { trace_id: traceId, owner_id: traceId, part: "start", value: input, attributes });
      break;
    }
    case "trace.end": {
      const { trace_id: traceId, ended_at: endedAt, status, output, attributes, stack, ...others } = event.body;
      const { stands_in_since: _stand, root_since: _root, ...rest } = others;
      mergeTrace(fold, event, traceId, {
        ...rest,
        ...placeOf("end", event, rankOfEnd(event.body)),
        ended_at: toInstant(endedAt),
        waits_since: rest.paused_at === undefined ? undefined : toInstant(endedAt),
        end_status: status,
        end_words: listSearchWords([rest.error, output]),
        end_line: toLine(output, { side: "output", isModelCall: false }),
      });
      addPayload(fold, event, { trace_id: traceId, owner_id: traceId, part: "end", value: output, attributes, stack });
      break;
    }
    case "trace.resume": {
      const { trace_id: traceId, resumed_from: resumedFrom, resumed_at: resumedAt } = event.body;
      mergeTrace(fold, event, traceId, { resumed_from: resumedFrom, resumed_at: toInstant(resumedAt) });
      break;
    }
    case "observation.start": {
      const { trace_id: traceId, observation_id: id, started_at: startedAt, model, prompt, input, attributes, ...rest } = event.body;
      mergeTrace(fold, event, traceId, {});
      mergeObservation(fold, event, event.body, {
        ...rest,
        ...placeOf("start", event, undefined),
        started_at: toInstant(startedAt),
        start_model: model,
        prompt: prompt && (prompt.version === undefined ? prompt.name : `${prompt.name}@${prompt.version}`),
        start_line: rest.kind === "llm" ? toLine(input, { side: "input", isModelCall: true }) : undefined,
      });
      addPayload(fold, event, { trace_id: traceId, owner_id: id, part: "start", value: input, attributes });
      break;
    }
    case "observation.end": {
      const { trace_id: traceId, observation_id: id, ended_at: endedAt, status, model, usage, ...body } = event.body;
      const { output, attributes, reasoning, stack, tool_entry, paused_at: pausedAt, ...rest } = body;
      mergeTrace(fold, event, traceId, pausedAt === undefined ? {} : { paused_at: pausedAt, waits_since: toInstant(endedAt) });
      mergeObservation(fold, event, event.body, {
        ...rest,
        ...placeOf("end", event, undefined),
        ended_at: toInstant(endedAt),
        end_status: status,
        end_model: model,
        // An end does not say of what; only models' have these.
        end_line: model === undefined && usage === undefined ? undefined : toLine(output, { side: "output", isModelCall: true }),
        ...usageColumns(usage),
      });
      const values = { value: output, attributes, reasoning, usage: usage?.raw, stack, tool_entry };
      addPayload(fold, event, { trace_id: traceId, owner_id: id, part: "end", ...values });
      break;
    }
    case "observation.update": {
      const { body } = event;
      mergeTrace(fold, event, body.trace_id, {});
      mergeObservation(fold, event, body, {});
      addPayload(fold, event, { trace_id: body.trace_id, owner_id: body.observation_id, part: "update", attributes: body.attributes });
      break;
    }
    case "graph": {
      const { graph_hash: hash, name, nodes, edges } = event.body;
      fold.graphs.set(keyOf(event.project_id, hash), { project_id: event.project_id, graph_hash: hash, name, nodes, edges });
      break;
    }
    case "graph.enter": {
      const { trace_id: traceId, graph_id: graphId, ...value } = event.body;
      mergeTrace(fold, event, traceId, {});
      addPayload(fold, event, { trace_id: traceId, owner_id: graphId ?? traceId, part: "enter", value });
      break;
    }
    case "blob": {
      const { sha256, content } = event.body;
      // By another name nothing could refer to it.
      if (isHash(sha256)) {
        fold.blobs.set(keyOf(event.project_id, sha256), { project_id: event.project_id, sha256, content });
      }
      break;
    }
    case "score": {
      const { trace_id: traceId, observation_id: observationId, name, comment } = event.body;
      const row = { project_id: event.project_id, trace_id: traceId.toLowerCase(), event_id: event.id };
      fold.scores.set(keyOf(row.project_id, row.trace_id, row.event_id), {
        ...row,
        observation_id: observationId,
        name,
        ...scoreColumns(event.body),
        comment,
        scored_at: event.ts,
      });
      break;
    }
    case "producer.hello":
    case "producer.heartbeat":
    case "producer.bye":
      break;
  }
}

function mergeTrace(fold: Fold, event: StreamEvent, traceId: string, half: Omit<TraceWrite, "project_id" | "id" | "seen_at">): void {
  const id = traceId.toLowerCase();
  const key = keyOf(event.project_id, id);
  const known = fold.traces.get(key);
  const kept = {
    paused_at: lower(known?.paused_at, half.paused_at),
    resumed_from: lower(known?.resumed_from, half.resumed_from),
    purpose: lower(known?.purpose, half.purpose),
    told_session_id: lower(known?.told_session_id, half.told_session_id),
    told_user_id: lower(known?.told_user_id, half.told_user_id),
    waits_since: higher(known?.waits_since, half.waits_since),
    resumed_at: higher(known?.resumed_at, half.resumed_at),
  };
  mergeHalves(fold.traces, key, { project_id: event.project_id, id, seen_at: event.ts, ...half }, kept);
}

function mergeObservation(
  fold: Fold,
  event: StreamEvent,
  ids: { readonly trace_id: string; readonly observation_id: string },
  half: Omit<ObservationWrite, "project_id" | "trace_id" | "id" | "seen_at">,
): void {
  const row = { project_id: event.project_id, trace_id: ids.trace_id.toLowerCase(), id: ids.observation_id.toLowerCase() };
  mergeHalves(fold.observations, keyOf(row.project_id, row.trace_id, row.id), { ...row, seen_at: event.ts, ...half });
}

function addPayload(fold: Fold, event: StreamEvent, given: Omit<PayloadWrite, "project_id" | "event_id" | "seq">): void {
  const { value, attributes, reasoning, usage, stack, tool_entry: toolEntry } = given;
  if ([value, attributes, reasoning, usage, stack, toolEntry].every((part) => part === undefined || part === null)) {
    return;
  }
  const row = {
    ...given,
    project_id: event.project_id,
    trace_id: given.trace_id.toLowerCase(),
    owner_id: given.owner_id.toLowerCase(),
    event_id: event.id,
    seq: event.seq,
  };
  fold.payloads.set(keyOf(row.project_id, row.trace_id, row.event_id), row);
  const contents = [...findReferences([value, attributes, toolEntry])].map(shortenHash);
  if (contents.length > 0) {
    const key = keyOf(row.project_id, row.trace_id);
    const known = fold.blobReferences.get(key)?.contents ?? [];
    fold.blobReferences.set(key, { project_id: row.project_id, trace_id: row.trace_id, contents: new Set([...known, ...contents]) });
  }
}

/** A content and what refers to it seldom fall into two batches; where they do, or the latter is lost, it is looked for later. */
function withoutReference({ blobs, blobReferences }: Fold): ReadonlyMap<string, BatchRows["releasedBlobs"][number]> {
  const needed = new Set([...blobReferences.values()].flatMap((row) => [...row.contents].map((content) => keyOf(row.project_id, content))));
  const released = [...blobs.values()].map(({ project_id, sha256 }) => ({ project_id, content: shortenHash(sha256) }));
  return new Map(released.map((row) => [keyOf(row.project_id, row.content), row] as const).filter(([key]) => !needed.has(key)));
}

function addProducer(fold: Fold, event: StreamEvent): void {
  const { row } = countSeq(fold, { projectId: event.project_id, producerId: event.producer_id, seq: event.seq }, event.ts);
  if (event.type === "producer.hello") {
    row.hello = event.body;
  }
  if (event.type === "producer.heartbeat" || event.type === "producer.bye") {
    row.announced_seq = Math.max(row.announced_seq ?? 0, plausible(event.body.last_seq, event.seq));
    if (event.body.dropped !== undefined && event.seq > (row.dropped_seq ?? 0)) {
      row.dropped = event.body.dropped;
      row.dropped_seq = event.seq;
    }
  }
  if (event.type === "producer.bye") {
    row.ended_at = event.ts;
  }
}

function countSeq(fold: Fold, { projectId, producerId, seq }: EntryOrigin, at: string): ProducerFold {
  const key = keyOf(projectId, producerId);
  const known = fold.producers.get(key) ?? {
    row: { project_id: projectId, producer_id: producerId, first_event_at: at, last_event_at: at },
    seqs: [],
  };
  known.row.first_event_at = at < known.row.first_event_at ? at : known.row.first_event_at;
  known.row.last_event_at = at > known.row.last_event_at ? at : known.row.last_event_at;
  known.seqs.push(seq);
  fold.producers.set(key, known);
  return known;
}

function inOrder<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
}

function keyOf(projectId: string, id: string, part = ""): string {
  return `${projectId}|${id}|${part}`;
}
