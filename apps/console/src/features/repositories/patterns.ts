/** Lines of a field as a list; empty ones don't count. */
export function splitLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** An address that is pasted where a name is asked for gives both; `owner/repo` are the last two parts of its path. */
export function pastedAddress(text: string): { readonly name: string; readonly cloneUrl: string } | undefined {
  const cloneUrl = text.trim();
  const [, name] = /^(?:(?:https|ssh):\/\/[^\s/]+\/|[\w.-]+@[\w.-]+:)(?:\S*\/)?([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(cloneUrl) ?? [];
  return name === undefined ? undefined : { name, cloneUrl };
}

/** Branches may stand on one line. */
export function splitNames(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== "");
}
