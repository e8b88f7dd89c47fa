import { runGit } from "./git.ts";

type Listing = { readonly directory: string; readonly signal: AbortSignal };

/** The names of a repository's refs, or of those below a name. */
export async function listRefs({ directory, signal }: Listing, below?: string): Promise<readonly string[]> {
  const given = ["for-each-ref", "--format=%(refname)", ...(below === undefined ? [] : [below])];
  return splitLines(await runGit({ arguments: given, directory, signal }));
}

/** Takes refs away; what they alone held goes with the next packing. */
export async function dropRefs({ directory, signal }: Listing, refs: readonly string[]): Promise<void> {
  if (refs.length > 0) {
    await runGit({ arguments: ["update-ref", "--stdin"], directory, signal }, refs.map((ref) => `delete ${ref}\n`).join(""));
  }
}

/** Lines that git printed. */
export function splitLines(printed: Buffer): readonly string[] {
  return printed.toString("latin1").split("\n").filter(Boolean);
}
