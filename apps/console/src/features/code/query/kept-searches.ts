import { fileKindSchema, type SavedQuery } from "@sightline/code-index/contract";
import { z } from "zod";
import type { SearchState } from "./search-state.ts";

const text = z.string().max(10_000).optional();
/** A search as its address has it. */
const searchSchema = z.object({ q: text, mode: text, repo: text, path: text, lang: text, ref: text, kind: text, regex: text, case: text });
export type KeptSearch = z.infer<typeof searchSchema>;

/** What a browser keeps: the last searches, and those that were saved in it before the server kept them. */
const keptSchema = z.object({ saved: z.array(searchSchema), recent: z.array(searchSchema) });
export type KeptSearches = z.infer<typeof keptSchema>;

export const NONE: KeptSearches = { saved: [], recent: [] };
const MAX_RECENT = 10;

/** What a browser keeps; what is none of it is nothing. */
export function readKept(stored: string | undefined): KeptSearches {
  try {
    return keptSchema.catch(NONE).parse(JSON.parse(stored ?? ""));
  } catch {
    return NONE;
  }
}

export function toKeptSearch({ q, mode, repo, path, lang, ref, kind, regex, case: letters }: SearchState): KeptSearch {
  return { q: q?.trim(), mode, repo, path, lang, ref, kind, regex, case: letters };
}

/** The search comes first; one that it was typed further from is forgotten. */
export function remember(kept: KeptSearches, search: KeptSearch): KeptSearches {
  const others = kept.recent.filter((other) => !(isSame({ ...other, q: search.q }, search) && (search.q ?? "").startsWith(other.q ?? "")));
  return { ...kept, recent: [search, ...others].slice(0, MAX_RECENT) };
}

/** A search as the server saves it. */
export function toSavedQuery({ q = "", mode, repo, path, lang, ref, kind, regex, case: letters }: KeptSearch): SavedQuery {
  const isGrep = mode === "grep";
  return {
    kind: isGrep ? "grep" : "search",
    query: q,
    repo,
    path,
    lang,
    ref,
    regex: isGrep && regex === "true",
    match_case: isGrep && letters === "true",
    file_kind: isGrep ? undefined : fileKindSchema.safeParse(kind).data,
  };
}

/** A saved search as its address has it. */
export function fromSavedQuery({
  kind,
  query,
  repo,
  path,
  lang,
  ref,
  regex,
  match_case: letters,
  file_kind: files,
}: SavedQuery): KeptSearch {
  const flag = (on: boolean) => (on ? "true" : undefined);
  return {
    q: query,
    mode: kind === "grep" ? kind : undefined,
    repo,
    path,
    lang,
    ref,
    kind: files,
    regex: flag(regex),
    case: flag(letters),
  };
}

export function toSearchKey(search: KeptSearch): string {
  return searchSchema
    .keyof()
    .options.map((name) => search[name] ?? "")
    .join("\n");
}

export function isSame(one: KeptSearch, other: KeptSearch): boolean {
  return toSearchKey(one) === toSearchKey(other);
}
