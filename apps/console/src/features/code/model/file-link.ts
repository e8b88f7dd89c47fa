import { linkOptions } from "@tanstack/react-router";
import { codeLink } from "#ui/page/code-link.ts";
import { formatLineRange } from "./line-range.ts";

type Place = {
  readonly repo: string;
  readonly ref: string;
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
};

/** The page of a file, at lines of it; of its branch where a branch was asked for. */
export function fileLink({ repo, ref, path, start_line: start, end_line: end }: Place, ofBranch: boolean) {
  return linkOptions({
    ...codeLink(repo),
    search: { path, ...(ofBranch ? { ref } : {}) },
    hash: formatLineRange({ start, end }),
    hashScrollIntoView: false,
  });
}
