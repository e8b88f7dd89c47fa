import { orRefuse, refusal } from "@sightline/foundation/errors";
import { MAX_ITEM_TRACES, type itemsFromTracesRequestSchema, type ItemSource, type Trace, type WriteItem } from "#contract.ts";
import type { z } from "zod";
import { nameIncomplete } from "#checks/name-incomplete.ts";
import type { Query } from "#schema.ts";
import type { InProject } from "#store/reader.ts";
import { observationNotFound, sessionNotFound } from "#query/access/not-found.errors.ts";
import { drawTraces } from "#query/list/draw-traces.store.ts";
import { readListTerms } from "#query/list/list-terms.ts";
import { orTooSlow } from "#query/list/trace-query.errors.ts";
import { loadTrace } from "#query/trace/load-trace.ts";
import { findItemOfTrace } from "./items.store.ts";
import { presentItem } from "./present-item.ts";
import { toJson } from "./to-json.ts";

type Request = InProject &
  Omit<z.output<typeof itemsFromTracesRequestSchema>, "corrects"> & {
    /** Whose items are corrected. */ readonly dataset?: { readonly id: string; readonly version: number } | undefined;
    readonly now: Date;
  };
type Choosing = Pick<Request, keyof InProject | "traces" | "from" | "now">;
type Chosen = { readonly traces: NonNullable<Request["traces"]>; readonly matching: number };

/**
 * The traces that are named, those of the session in their order, or those that are drawn.
 *
 * @throws {AppError} 404 `session_not_found`, 404 `no_traces`, 400 `invalid_query`, 400 `session_too_long`.
 */
export async function chooseTraces(query: Query, { traces = [], from, projectId, reader, now }: Choosing): Promise<Chosen> {
  if (from === undefined) {
    return { traces, matching: traces.length };
  }
  const isSession = "session_id" in from;
  const values = isSession ? [{ text: from.session_id, isPattern: false }] : [];
  const drawing = isSession
    ? {
        terms: [{ kind: "text", field: "session", values, isNegated: false, from: 0, to: 0 } as const],
        size: MAX_ITEM_TRACES,
        by: "random" as const,
        seed: 1,
      }
    : { terms: readListTerms({ q: from.q }), ...from.sample };
  const [start, end] = isSession ? [] : [from.from, from.to];
  const { ids, matching } = await drawTraces(query, { ...drawing, projectId, reader, now, from: toDate(start), to: toDate(end) }).catch(
    (error: unknown) => {
      throw orTooSlow(error);
    },
  );
  if (matching === 0) {
    throw isSession ? sessionNotFound() : noTraces();
  }
  if (isSession && matching > ids.length) {
    throw sessionTooLong(matching);
  }
  return { traces: ids.map((id) => ({ trace_id: id })), matching };
}

const toDate = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

const noTraces = () => refusal(404, "no_traces", "The query finds no traces that have ended; GET …/traces lists what it finds.");
const sessionTooLong = (traces: number) =>
  refusal(
    400,
    "session_too_long",
    `The session has ${traces} traces, and ${MAX_ITEM_TRACES} become items at once. Give from.q with session: and a sample.`,
  );

/** Items with the input of recorded traces, or of one step of each. @throws {AppError} 404 when one is not there. */
export async function itemsFromTraces(query: Query, request: Request, traces: Chosen["traces"]): Promise<readonly WriteItem[]> {
  const items: WriteItem[] = [];
  const { projectId, reader, dataset, expected } = request;
  for (const { trace_id: traceId, observation_id: stepId } of traces) {
    const known =
      dataset && (await findItemOfTrace(query, { projectId, reader, datasetId: dataset.id, version: dataset.version, traceId }));
    if (known !== undefined && expected !== undefined) {
      items.push({ ...presentItem(known), expected: toJson(expected) });
      continue;
    }
    const trace = await loadTrace(query, { projectId, reader, traceId });
    const step = stepId === undefined ? undefined : orRefuse(findStep(trace, stepId), observationNotFound);
    items.push(toItem(request, trace, step));
  }
  return items;
}

type TraceStep = Trace["observation_list"][number];

function findStep(trace: Trace, id: string): TraceStep | undefined {
  return trace.observation_list.find((step) => step.id === id);
}

function toItem(request: Request, trace: Trace, step: TraceStep | undefined): WriteItem {
  const part = step ?? trace;
  const hasFailed = part.status !== "success";
  const [input, output] = [toJson(part.input), toJson(part.output)];
  const sent = request.expected === undefined ? undefined : toJson(request.expected);
  return {
    input,
    expected: sent ?? (hasFailed ? null : output),
    checks: request.checks,
    metadata: {},
    split: request.split,
    subject: trace.user_id,
    cluster: request.cluster ?? request.issue_id ?? trace.session_id,
    required: request.required ?? hasFailed,
    source: {
      ...sourceOf(trace, step),
      ...(request.issue_id === undefined ? {} : { issue_id: request.issue_id }),
      incomplete: [...nameIncomplete("input", part.input), ...(hasFailed ? [] : nameIncomplete("expected", part.output))],
    },
  };
}

function sourceOf(trace: Trace, step: TraceStep | undefined): ItemSource {
  const code = step?.code ?? trace.observation_list.find((each) => each.code !== null)?.code ?? null;
  return {
    trace_id: trace.id,
    ...(step === undefined ? {} : { observation_id: step.id }),
    ...(code === null ? {} : { path: code.file, line: code.line }),
    ...(code?.repo === undefined ? {} : { repo: code.repo }),
    ...(code?.commit === undefined ? {} : { commit: code.commit }),
    ...(code?.function === undefined ? {} : { function: code.function }),
  };
}
