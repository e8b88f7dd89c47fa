/** How much a figure of the second run is above that of the first. */
export type Change = {
  readonly text: string;
  /** More of what is counted here (time, cost, failures) is worse. */
  readonly tone: "more" | "less" | "none";
};

/** `+1.2 s (+40%)`; nothing when one of them is not known. */
export function changeOf(a: number | null, b: number | null, format: (value: number) => string): Change | null {
  if (a === null || b === null) {
    return null;
  }
  const difference = b - a;
  if (difference === 0) {
    return { text: "the same", tone: "none" };
  }
  const sign = difference > 0 ? "+" : "−";
  const share = a === 0 ? "" : ` (${sign}${Math.round((Math.abs(difference) / Math.abs(a)) * 100)}%)`;
  return { text: `${sign}${format(Math.abs(difference))}${share}`, tone: difference > 0 ? "more" : "less" };
}
