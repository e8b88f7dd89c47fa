import { fileKindSchema, searchAnswerSchema } from "@sightline/code-index/contract";
import { keepPreviousData } from "@tanstack/react-query";
import { type SearchState, isOn } from "#features/code/query/search-state.ts";
import { codeIndex } from "#http/calls.ts";
import { pageByPage } from "#http/queries.ts";

const PAGE_SIZE = 20;

/** Results best first, page by page. */
export function searchQuery({ q = "", repo, path, lang, ref, kind, explain }: Partial<SearchState>) {
  // An address may name a kind that there is not.
  const query = {
    query: q.trim(),
    repo,
    path,
    lang,
    ref,
    kind: fileKindSchema.safeParse(kind).data,
    explain: isOn(explain) ? "true" : undefined,
  };
  const call = codeIndex.get("/api/v1/search", { query: { ...query, limit: PAGE_SIZE, one_per_file: "true" }, answer: searchAnswerSchema });
  return { ...pageByPage(["search", query], call), placeholderData: keepPreviousData, staleTime: 30_000 };
}
