/** Safe to import in a browser. */

/** What a trace was recorded for. All but the live ones count in no figure, alert, session, user or usual duration. */
export const TRACE_PURPOSES = ["live", "experiment", "replay", "playground", "judge"] as const;
export type TracePurpose = (typeof TRACE_PURPOSES)[number];

/** Everything that names no other purpose is live. */
export function toTracePurpose(value: unknown): TracePurpose {
  return TRACE_PURPOSES.find((purpose) => purpose === value) ?? "live";
}
