import { orRefuse } from "@sightline/foundation/errors";
import {
  type itemsFromTracesRequestSchema,
  truncatedValueSchema,
  type ItemSource,
  type Observation,
  type Trace,
  type WriteItem,
} from "#contract.ts";
import type { z } from "zod";
import type { Query } from "#schema.ts";
import type { InProject } from "#store/reader.ts";
import { observationNotFound } from "#query/access/not-found.errors.ts";
import { loadTrace } from "#query/trace/load-trace.ts";
import { toJson } from "./to-json.ts";

type Request = InProject & z.output<typeof itemsFromTracesRequestSchema>;

/** Items with the input of recorded traces, or of one step of each. @throws {AppError} 404 when one is not there. */
export async function itemsFromTraces(query: Query, request: Request): Promise<readonly WriteItem[]> {
  const items: WriteItem[] = [];
  for (const { trace_id: traceId, observation_id: stepId } of request.traces) {
    const trace = await loadTrace(query, { projectId: request.projectId, reader: request.reader, traceId });
    const step = stepId === undefined ? undefined : orRefuse(findStep(trace, stepId), observationNotFound);
    items.push(toItem(request, trace, step));
  }
  return items;
}

function findStep(trace: Trace, id: string): Observation | undefined {
  return trace.observation_list.find((step) => step.id === id);
}

function toItem(request: Request, trace: Trace, step: Observation | undefined): WriteItem {
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

function sourceOf(trace: Trace, step: Observation | undefined): ItemSource {
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

/** Depth at which values are no longer looked into. */
const DEPTH = 50;
const MASKED = /^\[(?:masked|redacted)[^\]]*\]$/i;

/** The paths of what was cut, masked or not kept when it was recorded. */
function nameIncomplete(path: string, value: unknown, depth = 0): readonly string[] {
  if (typeof value === "string") {
    return MASKED.test(value) ? [path] : [];
  }
  if (typeof value !== "object" || value === null || depth > DEPTH) {
    return [];
  }
  if (truncatedValueSchema.safeParse(value).success || "$blob" in value) {
    return [path];
  }
  return Object.entries(value)
    .flatMap(([key, part]) => nameIncomplete(`${path}/${key}`.slice(0, 200), part, depth + 1))
    .slice(0, 100);
}
