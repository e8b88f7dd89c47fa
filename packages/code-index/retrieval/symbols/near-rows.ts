import type { TextFile } from "#retrieval/grep/read-texts.store.ts";
import type { SymbolRow } from "./read-symbols.store.ts";
import type { UsePlace } from "#splitting/uses/explain-use.ts";
import type { FileImport } from "#splitting/uses/file-imports.ts";
import type { Spot } from "#splitting/uses/place.ts";
import { createFit } from "./module-fit.ts";

export type File = Pick<TextFile, "repo" | "ref" | "commit" | "path" | "language" | "document_id">;

/** A definition that a use may mean, with why; `isSure` where syntax leaves no other. */
export type Meant = { readonly row: SymbolRow; readonly reason: string; readonly isSure: boolean };

/** The definitions that a use may mean, the likeliest first. */
export type UseMeaning = {
  readonly meant: readonly Meant[];
  /** What stands at the place, where that is no use of the name. */
  readonly nothing?: string;
  /** What may be said of a use that no definition here is surely meant by. */
  readonly unknown?: string;
  /** A module as a whole, as a file imports it. */
  readonly module?: { readonly name: string; readonly file: File };
};

/** What a use in a file means; `step` counts how many uses were followed to it. */
export type MeaningOf = (file: File, place: UsePlace, step: number) => Promise<UseMeaning>;

export const TYPE_KINDS: ReadonlySet<string> = new Set(["class", "interface", "type", "enum", "module"]);
/** Languages in which files of a folder see each other's names. */
export const BY_FOLDER: ReadonlySet<string> = new Set(["go", "java", "kotlin", "scala", "groovy", "csharp", "swift", "terraform"]);
/** Languages that define names for each other. */
const FAMILIES: readonly ReadonlySet<string>[] = [
  "typescript tsx javascript vue svelte astro",
  "java kotlin scala groovy",
  "c cpp objective-c",
].map((words) => new Set(words.split(" ")));

/** Whether files of two languages may use each other's names. */
export function isKin(one: string, other: string): boolean {
  return one === other || FAMILIES.some((languages) => languages.has(one) && languages.has(other));
}

/** A definition that the index has no row of. */
export function placed(file: File, { line, column, name, to }: Spot & { readonly to: number }, kind: string, scope = ""): SymbolRow {
  const { repo, ref, commit, path, language, document_id } = file;
  return { repo, ref, commit, path, language, document_id, name, kind, scope, start_line: line, end_line: Math.max(line, to), column };
}

export function lastPart(name: string): string {
  return /([^\s.:#›<>\\/]+)(?:<.*)?$/su.exec(name)?.[1] ?? name;
}

export function isIn(row: File, file: File): boolean {
  return row.path === file.path && row.repo === file.repo;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** 0 in the file, 1 in its folder, more the fewer folders are shared. */
export function distance(row: File, file: File): number {
  if (isIn(row, file)) {
    return 0;
  }
  const [own, other] = [folderOf(file.path).split("/"), folderOf(row.path).split("/")];
  let shared = 0;
  while (shared < own.length && own[shared] === other[shared]) {
    shared++;
  }
  return 1 + own.length - shared + (other.length - shared);
}

export function nearest<Row extends File>(rows: readonly Row[], file: File): readonly Row[] {
  return rows.toSorted((one, other) => distance(one, file) - distance(other, file));
}

export function byFit(
  rows: readonly SymbolRow[],
  fit: (path: string) => number,
): readonly { readonly row: SymbolRow; readonly fit: number }[] {
  const fitting = rows.map((row) => ({ row, fit: fit(row.path) })).filter((one) => one.fit > 0);
  const outer = ({ row }: { readonly row: SymbolRow }) => (row.scope === "" ? 0 : 1) + (row.kind === "method" ? 1 : 0);
  return fitting.toSorted((one, other) => other.fit - one.fit || outer(one) - outer(other));
}

/** Definitions of a name alone: the only one, those that the file imports from, those that are near. */
export function byNearness(rows: readonly SymbolRow[], file: File, imports: readonly FileImport[], why: string): UseMeaning {
  const fits = imports.map(({ module, name }) => createFit(name === undefined ? module : `${module}/${name}`, file.path, file.language));
  const rank = (row: SymbolRow) => (isIn(row, file) || fits.some((fit) => fit(row.path) >= 0.85) ? 0 : 100) + distance(row, file);
  const only = rows.length === 1 ? "the only definition of this name" : `by name alone, one of ${rows.length}`;
  return {
    meant: rows.toSorted((one, other) => rank(one) - rank(other)).map((row) => ({ row, reason: `${only}: ${why}`, isSure: false })),
    unknown: why,
  };
}
