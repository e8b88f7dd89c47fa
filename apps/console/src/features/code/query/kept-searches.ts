import { z } from "zod";
import type { SearchState } from "./search-state.ts";

const text = z.string().max(10_000).optional();
/** A search as its address has it. */
const searchSchema = z.object({ q: text, mode: text, repo: text, path: text, lang: text, ref: text, kind: text, regex: text, case: text });
export type KeptSearch = z.infer<typeof searchSchema>;

const keptSchema = z.object({ saved: z.array(searchSchema), recent: z.array(searchSchema) });
export type KeptSearches = z.infer<typeof keptSchema>;

export const NONE: KeptSearches = { saved: [], recent: [] };
const MAX_SAVED = 50;
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

/** Saves a search, or forgets it when it is saved. */
export function toggleSaved(kept: KeptSearches, search: KeptSearch): KeptSearches {
  const others = kept.saved.filter((other) => !isSame(other, search));
  return { ...kept, saved: others.length < kept.saved.length ? others : [search, ...others].slice(0, MAX_SAVED) };
}

export function isSaved(kept: KeptSearches, search: KeptSearch): boolean {
  return kept.saved.some((other) => isSame(other, search));
}

export function toSearchKey(search: KeptSearch): string {
  return searchSchema
    .keyof()
    .options.map((name) => search[name] ?? "")
    .join("\n");
}

function isSame(one: KeptSearch, other: KeptSearch): boolean {
  return toSearchKey(one) === toSearchKey(other);
}
