import { type SourceFile, fileSchema, treeSchema } from "@sightline/code-index/contract";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

/** A file is asked for in several ranges when one answer may not hold it all; this many at the most. */
const MOST_RANGES = 40;

export function treeQuery(api: Api, repositoryId: string) {
  return queryOptions({
    queryKey: ["tree", repositoryId],
    queryFn: ({ signal }) =>
      api.request({ part: "code-index", path: `/api/v1/repos/${encodeURIComponent(repositoryId)}/tree`, answer: treeSchema, signal }),
    staleTime: 60_000,
  });
}

export function fileQuery(api: Api, repositoryId: string, path: string) {
  return queryOptions({
    queryKey: ["file", repositoryId, path],
    queryFn: ({ signal }) => wholeFile((start) => fileFrom(api, repositoryId, path, start, signal)),
    staleTime: 60_000,
  });
}

function fileFrom(api: Api, repositoryId: string, path: string, start: number | undefined, signal: AbortSignal): Promise<SourceFile> {
  return api.request({
    part: "code-index",
    path: `/api/v1/repos/${encodeURIComponent(repositoryId)}/file`,
    query: { path, start },
    answer: fileSchema,
    signal,
  });
}

/** Joins the ranges of a file that is over the limit of one answer. */
export async function wholeFile(load: (start: number | undefined) => Promise<SourceFile>): Promise<SourceFile> {
  let file = await load(undefined);
  for (let range = 1; range < MOST_RANGES && file.truncated && file.end_line < file.total_lines; range += 1) {
    const next = await load(file.end_line + 1);
    if (next.commit !== file.commit || next.end_line <= file.end_line) {
      break;
    }
    const between = file.content.endsWith("\n") ? "" : "\n";
    file = { ...next, start_line: file.start_line, content: `${file.content}${between}${next.content}` };
  }
  return file;
}
