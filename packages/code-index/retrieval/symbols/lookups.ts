import { filesCalled, readTexts } from "#retrieval/grep/read-texts.store.ts";
import { findSymbolRows, type SymbolRow } from "./read-symbols.store.ts";
import type { NameFinder } from "#splitting/uses/name-finder.ts";
import type { UseAnswer, UseQuestion } from "#splitting/uses/answer-use.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { createFit, lastOfModule } from "./module-fit.ts";
import { isKin, lastPart, nearest, type File } from "./near-rows.ts";

type Resolving = { readonly query: TenantQuery; readonly scope: Scope; readonly finder: NameFinder; readonly until: number };

/** Uses that are followed one after the other, over types and what they extend. */
export const MAX_STEPS = 8;
const MAX_ROWS = 500;

export type Lookups = ReturnType<typeof createLookups>;

/** Looks things up for one question, each once. */
export function createLookups({ query, scope, finder, until }: Resolving) {
  const texts = new Map<number, Promise<string>>();
  const named = new Map<string, Promise<readonly SymbolRow[]>>();

  /** What syntax says of a file; nothing once time is over. */
  async function ask({ document_id: id, language }: File, question: UseQuestion): Promise<UseAnswer> {
    const known = texts.get(id) ?? readTexts(query, scope, [id]).then((found) => found.get(id) ?? "");
    texts.set(id, known);
    const text = await known;
    return performance.now() > until ? {} : finder.explain({ text, language, question });
  }

  /** The definitions that files like this one may mean by a name. */
  async function rowsNamed(name: string, { repo, language }: File): Promise<readonly SymbolRow[]> {
    const whole = { ...scope, repo, path: undefined, lang: undefined };
    const key = `${repo} ${name}`;
    const known = named.get(key) ?? findSymbolRows(query, whole, { names: [name.toLowerCase()], how: "whole", limit: MAX_ROWS });
    named.set(key, known);
    return (await known).filter((row) => lastPart(row.name) === name && isKin(row.language, language));
  }

  /** The file of a module, by the end of its path. */
  async function fileOf(module: string, file: File): Promise<File | undefined> {
    const last = lastOfModule(module, file.path, file.language);
    const fit = createFit(module, file.path, file.language);
    const files = last === undefined ? [] : await filesCalled(query, { ...scope, repo: file.repo }, last);
    const fitting = files.filter(({ path, language }) => fit(path) >= 0.95 && isKin(language, file.language));
    return nearest(fitting, file)[0];
  }

  return { ask, rowsNamed, fileOf, isLate: () => performance.now() > until };
}
