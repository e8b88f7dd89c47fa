/** Whether all words of what was typed are in the texts, in either case. */
export function matches(typed: string, ...texts: readonly string[]): boolean {
  const searched = texts.join(" ").toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}
