/** Characters of one line at the most, whatever a trace holds. */
export const MAX_LINE = 1024 * 1024;
const PREVIEW = 4_000;
const VALUES = ["input", "output", "attributes", "reasoning"] as const;

type Line = { readonly type: "trace" | "observation" | "score" | "end"; readonly [name: string]: unknown };

/** One line of JSON. Of a line that would be too long the values are cut, the longest first: `{"truncated": true, "characters", "preview"}`. */
export function toLine(line: Line): string {
  const text = JSON.stringify(line);
  if (text.length <= MAX_LINE) {
    return `${text}\n`;
  }
  const longest = VALUES.map((name) => ({ name, text: JSON.stringify(line[name]) ?? "" }))
    .filter((value) => value.text.length > 2 * PREVIEW)
    .toSorted((left, right) => right.text.length - left.text.length);
  let left = text.length;
  const cut: Record<string, unknown> = {};
  for (const value of longest) {
    if (left > MAX_LINE) {
      // What was cut through is no pair of surrogates any more.
      const preview = value.text.slice(0, PREVIEW).toWellFormed();
      cut[value.name] = { truncated: true, characters: value.text.length, preview };
      left += JSON.stringify(cut[value.name]).length - value.text.length;
    }
  }
  return `${JSON.stringify({ ...line, ...cut })}\n`;
}
