/** Lines of a field as a list; empty ones don't count. */
export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Branches may stand on one line. */
export function namesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== "");
}
