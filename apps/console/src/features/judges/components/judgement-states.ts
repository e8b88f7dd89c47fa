import type { EvaluatorDefinition, JudgementState, ScoreValue } from "@sightline/observability/contract";
import { plural } from "#ui/words/format.ts";

export const STATE_LABELS: Readonly<Record<JudgementState, string>> = {
  waiting: "Waiting",
  judged: "Judged",
  skipped: "Skipped",
  failed: "Failed",
  over_budget: "Over budget",
};

export const valueInWords = ({ data_type: type, value, text_value: text }: ScoreValue) =>
  text ?? (type === "boolean" ? (value === 1 ? "true" : "false") : String(value));

export const meansInWords = (definition: EvaluatorDefinition) =>
  definition.kind === "checks" ? plural(definition.checks.length, "check", "checks") : definition.model;
