import { type SourceFile, fileSchema, outlineSchema, treeSchema } from "@sightline/code-index/contract";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

/** A file is asked for in several ranges when one answer may not hold it all; this many at the most. */
const MAX_RANGES = 40;

/** A repository, and one of its branches; the default one when left out. */
export type Branch = { readonly id: string; readonly ref: string | undefined };

export function treeQuery(api: Api, { id, ref }: Branch) {
  return queryOptions({
    queryKey: ["tree", id, ref],
    queryFn: ({ signal }) => api.request({ part: "code-index", path: `${pathOf(id)}/tree`, query: { ref }, answer: treeSchema, signal }),
    staleTime: 60_000,
  });
}

export function fileQuery(api: Api, branch: Branch, path: string) {
  return queryOptions({
    queryKey: ["file", branch.id, branch.ref, path],
    queryFn: ({ signal }) => wholeFile((start) => fileFrom(api, branch, { path, start }, signal)),
    staleTime: 60_000,
  });
}

/** What a file defines. */
export function outlineQuery(api: Api, { id, ref }: Branch, path: string) {
  return queryOptions({
    queryKey: ["outline", id, ref, path],
    queryFn: ({ signal }) =>
      api.request({ part: "code-index", path: `${pathOf(id)}/outline`, query: { ref, path }, answer: outlineSchema, signal }),
    staleTime: 60_000,
  });
}

type Beginning = { readonly path: string; readonly start: number | undefined };

function fileFrom(api: Api, { id, ref }: Branch, { path, start }: Beginning, signal: AbortSignal): Promise<SourceFile> {
  return api.request({ part: "code-index", path: `${pathOf(id)}/file`, query: { ref, path, start }, answer: fileSchema, signal });
}

function pathOf(id: string): string {
  return `/api/v1/repos/${encodeURIComponent(id)}`;
}

/** Joins the ranges of a file that is over the limit of one answer. */
export async function wholeFile(load: (start: number | undefined) => Promise<SourceFile>): Promise<SourceFile> {
  let file = await load(undefined);
  for (let range = 1; range < MAX_RANGES && file.truncated && file.end_line < file.total_lines; range += 1) {
    const next = await load(file.end_line + 1);
    if (next.commit !== file.commit || next.end_line <= file.end_line) {
      break;
    }
    const between = file.content.endsWith("\n") ? "" : "\n";
    file = { ...next, start_line: file.start_line, content: `${file.content}${between}${next.content}` };
  }
  return file;
}
