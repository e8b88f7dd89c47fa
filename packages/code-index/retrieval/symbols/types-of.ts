import type { SymbolRow } from "./read-symbols.store.ts";
import type { MemberUse } from "#splitting/uses/explain-use.ts";
import type { Holder } from "#splitting/uses/holder.ts";
import { MAX_STEPS, type Lookups } from "./lookups.ts";
import {
  BY_FOLDER,
  distance,
  lastPart,
  nearest,
  placed,
  TYPE_KINDS,
  type File,
  type Meant,
  type MeaningOf,
  type UseMeaning,
} from "./near-rows.ts";

/** Types, and their bases, that are looked through. */
export const MAX_MEANT = 3;
/** Languages in which another file's name is imported before it is used. */
const MUST_IMPORT: ReadonlySet<string> = new Set([
  "typescript",
  "tsx",
  "javascript",
  "vue",
  "svelte",
  "astro",
  "python",
  "go",
  "rust",
  "php",
]);
type Held = { readonly types: readonly Meant[]; readonly module?: UseMeaning["module"]; readonly isList?: boolean };
type Around = { readonly own: string | undefined; readonly isGiven?: boolean };

export type Types = ReturnType<typeof createTypes>;

/** Finds the types that expressions are of, and what types have. */
export function createTypes({ ask, rowsNamed, isLate }: Lookups, meaningOf: MeaningOf) {
  /** The nearest type that is called so. */
  async function typeNamed(name: string, file: File): Promise<SymbolRow | undefined> {
    return nearest(
      (await rowsNamed(name, file)).filter((row) => TYPE_KINDS.has(row.kind)),
      file,
    )[0];
  }

  /** The types, or what else holds members, that an expression is of. */
  async function typesOf(file: File, of: Holder, { own, isGiven = false }: Around, step: number): Promise<Held> {
    if (of === "self" || of === "super") {
      const type = own === undefined ? undefined : await typeNamed(own, file);
      const types = type === undefined ? [] : [{ row: type, reason: "", isSure: true }];
      return { types: type !== undefined && of === "super" ? await basesOf(type, step) : types };
    }
    const { meant, module } = await meaningOf(file, of, step + 1);
    const sure = meant.filter(({ isSure }) => isSure);
    if (module !== undefined && sure.every(({ row }) => row.kind === "module")) {
      return { types: [], module };
    }
    // A name that is neither bound nor imported is built in where names have to be.
    const likely = sure.length > 0 ? sure : meant.length === 1 && !MUST_IMPORT.has(file.language) ? meant : [];
    const found: Meant[] = [];
    let isList = of.isList === true;
    for (const one of likely.slice(0, MAX_MEANT)) {
      const held: Held = isGiven ? { types: [one] } : await typesOfRow(one, step + 1);
      found.push(...held.types);
      isList ||= held.isList === true;
    }
    return { types: found, isList: isList && of.isTaken !== true };
  }

  async function typesOfRow(one: Meant, step: number): Promise<Held> {
    const { row } = one;
    if (TYPE_KINDS.has(row.kind) || step > MAX_STEPS) {
      return { types: [one] };
    }
    const { type } = await ask(row, { ask: "type", place: { line: row.start_line, column: row.column, name: lastPart(row.name) } });
    if (type === undefined) {
      return { types: row.kind === "function" || row.kind === "method" ? [] : [one] };
    }
    const held = await typesOf(row, type.of, { own: lastPart(row.scope) }, step);
    if (type.member === undefined) {
      return held;
    }
    for (const holder of held.types.slice(0, MAX_MEANT)) {
      const [found] = await memberOf(holder.row, type.member, step, new Set());
      if (found !== undefined) {
        return typesOfRow({ row: found, reason: "", isSure: true }, step + 1);
      }
    }
    return { types: [] };
  }

  /** What a type has of a name, itself or by what it extends. */
  async function memberOf(
    type: SymbolRow,
    name: string,
    step: number,
    seen: Set<string>,
    as: MemberUse = "read",
  ): Promise<readonly SymbolRow[]> {
    const key = `${type.path} ${type.start_line} ${type.name}`;
    if (step > MAX_STEPS || seen.has(key) || isLate()) {
      return [];
    }
    seen.add(key);
    const rows = (await rowsNamed(name, type)).filter((row) => lastPart(row.scope) === lastPart(type.name));
    const [near] = nearest(rows, type);
    const inReach = near === undefined || distance(near, type) > reachOf(type.language) ? [] : rows.filter((row) => row.path === near.path);
    // Rust has methods and fields of one name, and the methods elsewhere.
    if (inReach.length > 0 && (as === "called" || type.language !== "rust")) {
      return alike(inReach, as);
    }
    const { members } = await ask(type, { ask: "members", from: type.start_line, to: type.end_line, name, isGiven: as === "given" });
    if (inReach.length > 0 && members?.member?.isDeclared !== true) {
      return inReach;
    }
    const own = members?.member === undefined ? [] : [placed(type, members.member, "field", type.name)];
    if (members?.member?.isDeclared === true) {
      return own;
    }
    // What is only assigned may be declared by what the type extends.
    for (const base of members?.bases ?? []) {
      const { meant } = await meaningOf(type, base, step + 1);
      for (const { row } of meant.filter(({ row: found, isSure }) => isSure || TYPE_KINDS.has(found.kind)).slice(0, 1)) {
        const found = await memberOf(row, name, step + 1, seen, as);
        if (found.length > 0) {
          return found;
        }
      }
    }
    return near === undefined || own.length > 0 ? own : rows.filter((row) => row.path === near.path);
  }

  async function basesOf(type: SymbolRow, step: number): Promise<readonly Meant[]> {
    const { members } = await ask(type, { ask: "members", from: type.start_line, to: type.end_line, name: "_" });
    const found: Meant[] = [];
    for (const base of members?.bases ?? []) {
      found.push(...(await meaningOf(type, base, step + 1)).meant.slice(0, 1));
    }
    return found;
  }

  return { typeNamed, typesOf, memberOf };
}

/** Methods where one is called, fields where one is read, as far as there are both. */
function alike(rows: readonly SymbolRow[], as: MemberUse): readonly SymbolRow[] {
  const fitting = rows.filter(({ kind }) => (kind === "method" || kind === "function") === (as === "called"));
  return fitting.length > 0 ? fitting : rows;
}

/** How far from a type its members may be defined: anywhere in Ruby, beside it where a package or an `impl` goes on in another file. */
function reachOf(language: string): number {
  return language === "ruby" ? Number.POSITIVE_INFINITY : BY_FOLDER.has(language) || language === "rust" ? 1 : 0;
}
