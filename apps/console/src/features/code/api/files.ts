import { type SourceFile, fileSchema, outlineSchema, treeSchema } from "@sightline/code-index/contract";
import { queryOptions } from "@tanstack/react-query";
import { codeIndex, encoded } from "#http/calls.ts";
import { answerTo, ask } from "#http/queries.ts";

/** A file is asked for in several ranges when one answer may not hold it all; this many at the most. */
const MAX_RANGES = 40;
const STALE_MS = 60_000;

/** A repository, and one of its branches; the default one when left out. */
export type Branch = { readonly id: string; readonly ref: string | undefined };

/** Lines of a file at a commit, from `start` to `end`. */
export type Lines = { readonly path: string; readonly commit: string; readonly start: number; readonly end: number };

/** Where the API has what it knows of a repository. */
export const repositoryPath = (id: string) => encoded`/api/v1/repos/${id}`;

export function treeQuery({ id, ref }: Branch) {
  const queryFn = answerTo(codeIndex.get(`${repositoryPath(id)}/tree`, { query: { ref }, answer: treeSchema }));
  return queryOptions({ queryKey: ["tree", id, ref], queryFn, staleTime: STALE_MS });
}

/** A file as it is indexed, or as it was at a commit. */
export function fileQuery({ id, ref }: Branch, path: string, commit?: string) {
  return queryOptions({
    queryKey: ["file", id, ref, path, commit],
    queryFn: (context) =>
      wholeFile((start) =>
        ask(context, codeIndex.get(`${repositoryPath(id)}/file`, { query: { ref, path, commit, start }, answer: fileSchema })),
      ),
    staleTime: STALE_MS,
  });
}

/** Some lines of a file, as it was at a commit. */
export function fileLinesQuery({ id, ref }: Branch, lines: Lines) {
  const queryFn = answerTo(codeIndex.get(`${repositoryPath(id)}/file`, { query: { ref, ...lines }, answer: fileSchema }));
  return queryOptions({ queryKey: ["file-lines", id, ref, lines], queryFn, staleTime: STALE_MS });
}

/** What a file defines. */
export function outlineQuery({ id, ref }: Branch, path: string) {
  const queryFn = answerTo(codeIndex.get(`${repositoryPath(id)}/outline`, { query: { ref, path }, answer: outlineSchema }));
  return queryOptions({ queryKey: ["outline", id, ref, path], queryFn, staleTime: STALE_MS });
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
