import type { JudgementState, ScoreValue } from "@sightline/observability/contract";

export const STATE_LABELS: Readonly<Record<JudgementState, string>> = {
  waiting: "Waiting",
  judged: "Judged",
  skipped: "Skipped",
  failed: "Failed",
  over_budget: "Over budget",
};

export const valueInWords = ({ data_type: type, value, text_value: text }: ScoreValue) =>
  text ?? (type === "boolean" ? (value === 1 ? "true" : "false") : String(value));
