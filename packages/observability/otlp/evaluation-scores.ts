import type { StreamEvent } from "#events/event.ts";
import { toText, type OtlpEvent, type OtlpLog } from "#otlp/wire/otlp-span.ts";
import { toObservationId, toTraceId } from "#identifiers.ts";
import { boundText } from "./bound-value.ts";

type Score = Extract<StreamEvent, { type: "score" }>["body"];

const MAX_NAME = 200;
const MAX_COMMENT = 4_000;
const ATTRIBUTE = "gen_ai.evaluation";

export const isEvaluation = ({ name }: OtlpEvent): boolean => name === `${ATTRIBUTE}.result`;

/**
 * GenAI's `gen_ai.evaluation.result` as a score of the step that it stands in, or of the trace where it stands in none. A label beside
 * a value stands in the comment; without a value it is a category.
 * @returns undefined where it is no evaluation, or one without a name, a trace or any result.
 */
export function toScore(projectId: string, { traceId, spanId, event }: OtlpLog): Score | undefined {
  const read = (name: string) => toText(event.attributes.get(`${ATTRIBUTE}.${name}`));
  const [name, label, explanation] = [read("name"), read("score.label"), read("explanation")];
  const value = Number(read("score.value") ?? Number.NaN);
  const hasValue = Number.isFinite(value);
  if (!isEvaluation(event) || name === undefined || !/^[0-9a-f]{32}$/.test(traceId) || (!hasValue && label === undefined)) {
    return undefined;
  }
  const comment = [...(hasValue ? [label] : []), explanation].filter((text) => text !== undefined).join(": ");
  return {
    trace_id: toTraceId(projectId, traceId),
    ...(/^[0-9a-f]{16}$/.test(spanId) ? { observation_id: toObservationId(projectId, traceId, spanId) } : {}),
    name: boundText(name, MAX_NAME),
    ...(hasValue ? { value } : { text_value: boundText(label ?? "", MAX_COMMENT) }),
    ...(comment === "" ? {} : { comment: boundText(comment, MAX_COMMENT) }),
  };
}
