import { type LineRange, formatLineRange } from "#features/code/model/line-range.ts";

/** The address of lines of a file that tells which commit they are of, so that whoever follows it learns when the index has moved on. */
export function permalinkTo(
  { origin, pathname, search }: Pick<Location, "origin" | "pathname" | "search">,
  { commit, target }: { readonly commit: string; readonly target: LineRange | undefined },
): string {
  const query = new URLSearchParams(search);
  query.delete("panel");
  query.delete("symbol");
  query.set("commit", commit);
  return `${origin}${pathname}?${query.toString()}${target === undefined ? "" : `#${formatLineRange(target)}`}`;
}
