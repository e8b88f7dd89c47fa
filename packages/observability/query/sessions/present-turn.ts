import type { FailedStep, ListedTrace, Said, Turn } from "#contract.ts";
import { cutText } from "#messages/conversation.ts";
import { saidIn } from "#messages/line.ts";
import { UNKNOWN_NAME } from "#query/steps/present-step.ts";
import type { FailedStepRow, SpokenRow } from "./turns.store.ts";

const MAX_SAID = 8_000;

/** A trace of the list with what was said in it. Where that is too long to be read, the list's line stands for it. */
export function presentTurn(trace: ListedTrace, spoken: readonly SpokenRow[], failed: readonly FailedStepRow[]): Turn {
  const said = (side: SpokenRow["side"], line: string | null): Said => {
    const row = spoken.find((each) => each.trace_id === trace.id && each.side === side);
    const text = (row === undefined ? undefined : saidIn(row.value, { side, isModelCall: row.is_model_call })) ?? line;
    return text === null ? null : { text: cutText(text, MAX_SAID).toWellFormed(), characters: text.length };
  };
  return {
    ...trace,
    asked: said("input", trace.input),
    answered: said("output", trace.output),
    failed_step: presentFailedStep(failed.find((step) => step.trace_id === trace.id)),
  };
}

export function presentFailedStep(row: FailedStepRow | undefined): FailedStep {
  return row === undefined ? null : { id: row.id, kind: row.kind ?? "span", name: row.name ?? UNKNOWN_NAME, error: row.error };
}
