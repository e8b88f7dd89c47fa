import { countLeftOut, hasFiles, indexedLanguages } from "./read-chunks.store.ts";
import { listSome } from "./repository-errors.ts";
import { dateBuilds, digest } from "./page-cursor.ts";
import type { IndexMemory } from "./index-memory.ts";
import type { Access, RepositoryInScope, Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { languageNamed } from "#retrieval/query/query-filters.ts";

type Where = Pick<Scope, "repo" | "ref" | "path" | "lang">;

/** The part of the visible code that a request asks for. Blank filters count as left out, since assistants send them so. */
export function askedScope(access: Access, { repo, ref, path, lang }: Where): Scope {
  return {
    ...access,
    repo: repo || undefined,
    ref: ref || undefined,
    path: path || undefined,
    lang: lang ? languageNamed(lang) : undefined,
  };
}

/** A note for an empty result when the filters exclude every file, so that it says nothing about the code. */
export async function notesOnEmptyScope(query: TenantQuery, scope: Scope): Promise<readonly string[]> {
  const paths = [scope.path, ...(scope.filters?.path.anyOf ?? [])].filter((path) => path !== undefined);
  const languages = [scope.lang, ...(scope.filters?.lang.anyOf ?? [])].filter((lang) => lang !== undefined);
  const asked = [...paths.map((path) => `path ${path}`), ...languages.map((lang) => `language ${lang}`)];
  if (asked.length === 0 || (await hasFiles(query, scope))) {
    return [];
  }
  const known = languages.length === 0 ? [] : await indexedLanguages(query, scope);
  const advice = [
    ...(paths.length === 0 ? [] : ["a path is not read as a regular expression: * stands for anything, ? for one character"]),
    ...(known.length === 0 ? [] : [`the languages of the indexed files are ${known.join(", ")}`]),
  ];
  return [`No indexed file is of the ${asked.join(", ")}; ${advice.join("; ")}.`];
}

/** Reasons in a note. */
const REASONS = 5;

type Remembering = { readonly memory: IndexMemory; readonly builds: readonly RepositoryInScope[] };

/** A note on the files of a scope that have text and are not searched, so that "complete" says of what. */
export async function notesOnLeftOut(query: TenantQuery, scope: Scope, remembering?: Remembering): Promise<readonly string[]> {
  const key = remembering === undefined ? "" : digest([scope.tenant.tenantId, scope.path, scope.lang, dateBuilds(remembering.builds)]);
  const counts = remembering?.memory.leftOut.get(key) ?? (await countLeftOut(query, scope));
  remembering?.memory.leftOut.set(key, counts);
  const total = counts.reduce((sum, { files }) => sum + files, 0);
  const reasons = counts.map(({ reason, files }) => (counts.length === 1 ? reason : `${files} ${reason}`));
  const are = total === 1 ? "1 file here is" : `${total} files here are`;
  return total === 0 ? [] : [`${are} not searched (${listSome(reasons, REASONS)}).`];
}
