import type { AlertFilter, AlertMetric } from "@sightline/observability/contract";

/** A rule as the form has it. */
export type RuleDraft = {
  readonly id: string | undefined;
  readonly name: string;
  readonly metric: AlertMetric;
  readonly threshold: number;
  readonly window_minutes: number;
  readonly filter: AlertFilter;
  readonly channels: readonly string[];
};

const DRAFT = { id: undefined, filter: {}, channels: [] } as const;

export const NEW_RULE: RuleDraft = { ...DRAFT, name: "", metric: "errors", threshold: 5, window_minutes: 15 };

export const SUGGESTED: readonly { readonly why: string; readonly rule: RuleDraft }[] = [
  {
    why: "What was never seen before, or was thought to be mended.",
    rule: { ...DRAFT, name: "New issue", metric: "issues", threshold: 0, window_minutes: 5 },
  },
  {
    why: "One in ten traces fails: more is broken than one request.",
    rule: { ...DRAFT, name: "Many failures", metric: "error_rate", threshold: 0.1, window_minutes: 15 },
  },
  {
    why: "A loop or a longer prompt shows up in the cost first.",
    rule: { ...DRAFT, name: "Expensive day", metric: "cost", threshold: 20, window_minutes: 1440 },
  },
  {
    why: "A stopped agent reports no errors.",
    rule: { ...DRAFT, name: "Silence", metric: "no_traces", threshold: 0, window_minutes: 60 },
  },
];
