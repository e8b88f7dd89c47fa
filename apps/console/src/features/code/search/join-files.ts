import type { GrepFile } from "@sightline/code-index/contract";

/** Files one after the other; one whose lines go on on the next page is one file still. */
export function joinFiles(files: readonly GrepFile[]): readonly GrepFile[] {
  const joined: GrepFile[] = [];
  for (const file of files) {
    const last = joined.at(-1);
    if (last?.repo === file.repo && last.ref === file.ref && last.path === file.path) {
      joined[joined.length - 1] = { ...last, matches: [...last.matches, ...file.matches] };
    } else {
      joined.push(file);
    }
  }
  return joined;
}
