import type { FileImport } from "#splitting/uses/file-imports.ts";
import type { Spot } from "#splitting/uses/place.ts";
import { MAX_STEPS, type Lookups } from "./lookups.ts";
import { createFit } from "./module-fit.ts";
import { byFit, byNearness, isIn, nearest, placed, type File, type Meant, type UseMeaning } from "./near-rows.ts";

/** Modules that a file passes on names of. */
const MAX_PASSED = 30;

export type Imports = ReturnType<typeof createImports>;

/** Finds what is imported where it is defined, over files that only pass it on. */
export function createImports({ ask, rowsNamed, fileOf }: Lookups) {
  /** The definition that binds a name in a line: as the index has it, else just that place. */
  async function boundRow(file: File, by: Spot & { readonly to: number }, kind: string): Promise<Meant["row"]> {
    const around = (await rowsNamed(by.name, file)).filter(
      (row) => isIn(row, file) && row.start_line <= by.line && by.line <= row.end_line,
    );
    return around.toSorted((one, other) => other.start_line - one.start_line)[0] ?? placed(file, by, kind);
  }

  async function moduleMeaning(name: string, file: File): Promise<UseMeaning> {
    const own = await fileOf(name, file);
    const meant =
      own === undefined
        ? []
        : [{ row: placed(own, { line: 1, column: 1, name, to: 1 }, "module"), reason: `the module ${name}`, isSure: true }];
    return { meant, module: { name, file }, unknown: `it is the module ${name}, which is no file here` };
  }

  async function imported(file: File, by: FileImport, name: string, step: number): Promise<UseMeaning> {
    if (by.name === undefined) {
      return moduleMeaning(by.module, file);
    }
    const whole = joined(by.module, by.name, file.language);
    const module = { name: whole, file };
    const rows = (await rowsNamed(by.name === "default" ? name : by.name, file)).filter(({ kind }) => kind !== "method");
    const fitting = byFit(nearest(rows, file), createFit(by.module, file.path, file.language));
    const [best] = fitting;
    if (best === undefined || best.fit < 0.95 || best.row.scope !== "") {
      const exported = await exportOf(by.module, by.name, file, step);
      if (exported !== undefined) {
        return { ...exported, module };
      }
    }
    if (best === undefined) {
      const { meant } = await moduleMeaning(whole, file);
      const outside = `imported from ${by.module}, where nothing of the name is known`;
      return { module, unknown: `it is ${outside}`, meant: meant.length > 0 ? meant : byNearness(rows, file, [], outside).meant };
    }
    const equal = fitting.filter(({ fit }) => fit === best.fit);
    return {
      module,
      meant: fitting.map(({ row, fit }) => ({
        row,
        reason: `imported from ${by.module}${fit < 0.95 ? ", which may export it from here" : ""}`,
        isSure: fit === best.fit && (equal.length === 1 || fit >= 0.95),
      })),
    };
  }

  /** What a module's file has under a name, itself or from another module. */
  async function exportOf(module: string, name: string, from: File, step: number): Promise<UseMeaning | undefined> {
    const file = step > MAX_STEPS ? undefined : await fileOf(module, from);
    const { export: found } = file === undefined ? {} : await ask(file, { ask: "export", name });
    if (file === undefined || found === undefined) {
      return undefined;
    }
    const reason = `imported from ${module}`;
    if (found.own !== undefined) {
      const row = await boundRow(file, found.own, "variable");
      return { meant: [{ row, reason, isSure: true }] };
    }
    for (const by of found.imports.slice(0, MAX_PASSED)) {
      const next = by.local === undefined ? await exportOf(by.module, name, file, step + 1) : await imported(file, by, name, step + 1);
      if (next?.meant[0]?.isSure === true) {
        return { ...next, meant: next.meant.map((one) => ({ ...one, reason: `${reason}, which has it from ${by.module}` })) };
      }
    }
    return undefined;
  }

  return { boundRow, moduleMeaning, imported, exportOf };
}

const BETWEEN: Readonly<Record<string, string>> = { rust: "::", php: "\\" };

/** A module with a name of it, as the language writes it. */
export function joined(module: string, name: string, language: string): string {
  const between = BETWEEN[language] ?? (module.includes("/") ? "/" : module.endsWith(".") ? "" : ".");
  return `${module}${between}${name}`;
}
