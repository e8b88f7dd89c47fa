import type { JudgementState } from "@sightline/observability/contract";

export const STATE_LABELS: Readonly<Record<JudgementState, string>> = {
  waiting: "Waiting",
  judged: "Judged",
  skipped: "Skipped",
  failed: "Failed",
  over_budget: "Over budget",
};
