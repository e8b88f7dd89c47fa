/** A hash as people write it; a tag, a branch or `HEAD~3` as it is. */
export function shortRevision(revision: string): string {
  return /^[0-9a-f]{9,64}$/iu.test(revision) ? revision.slice(0, 8) : revision;
}
