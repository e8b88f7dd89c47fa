import type { FailedStep, ListedTrace, SpokenText, Turn } from "#contract.ts";
import { cutText } from "#messages/conversation.ts";
import { toFullText } from "#messages/line.ts";
import { UNKNOWN_NAME } from "#query/steps/present-step.ts";
import { findFailures } from "#trace-facts/find-failures.ts";
import { growFailedTree } from "#trace-facts/fold-trace.ts";
import type { SpokenRow } from "#query/steps/spoken.store.ts";
import type { FailedStepRow } from "./turns.store.ts";

const MAX_SAID = 8_000;

/** A trace of the list with what was said in it. Where that is too long to be read, the list's line stands for it. */
export function presentTurn(trace: ListedTrace, spoken: readonly SpokenRow[], failed: readonly FailedStepRow[] = []): Turn {
  const toSpoken = (side: SpokenRow["side"], line: string | null): SpokenText => {
    const row = spoken.find((each) => each.trace_id === trace.id && each.side === side);
    const text = (row === undefined ? undefined : toFullText(row.value, { side, isModelCall: row.is_model_call })) ?? line;
    return text === null ? null : { text: cutText(text, MAX_SAID).toWellFormed(), characters: text.length };
  };
  return {
    ...trace,
    asked: toSpoken("input", trace.input),
    answered: toSpoken("output", trace.output),
    failed_step: presentFailedStep(trace, failed),
  };
}

/** The step of whose error a trace died; where it went on, the first in which a failure arose. */
export function presentFailedStep(trace: ListedTrace, failed: readonly FailedStepRow[] = []): FailedStep {
  const { causes, reason } = findFailures(growFailedTree(failed), trace);
  const [first] = causes.toSorted(
    (one, other) => Date.parse(one.ended_at ?? one.started_at) - Date.parse(other.ended_at ?? other.started_at),
  );
  const shown = trace.status === "failure" ? reason : first;
  return shown === undefined ? null : { id: shown.id, kind: shown.kind ?? "span", name: shown.name ?? UNKNOWN_NAME, error: shown.error };
}
