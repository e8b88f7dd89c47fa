import type { ExplainedUse, UsePlace } from "#splitting/uses/explain-use.ts";
import { createLookups, MAX_STEPS } from "./lookups.ts";
import { createImports } from "./meaning-of-import.ts";
import { createMembers } from "./meaning-of-member.ts";
import { createFit } from "./module-fit.ts";
import { BY_FOLDER, byNearness, distance, isIn, type File, type UseMeaning } from "./near-rows.ts";
import { createTypes } from "./types-of.ts";

/** Finds what a use means by its file's scopes and imports, and by the declared types of what it is a member of. */
export function createUseResolver(resolving: Parameters<typeof createLookups>[0]) {
  const lookups = createLookups(resolving);
  const { ask, rowsNamed } = lookups;
  const imports = createImports(lookups);
  const types = createTypes(lookups, meaningOf);
  const member = createMembers(lookups, imports, types);

  async function meaningOf(file: File, place: UsePlace, step: number): Promise<UseMeaning> {
    if (step > MAX_STEPS) {
      return { meant: [] };
    }
    const { use: explained } = await ask(file, { ask: "use", place });
    const { name } = place;
    if (explained === undefined) {
      return byNearness(await rowsNamed(name, file), file, [], "no grammar reads this file");
    }
    const { use } = explained;
    switch (use.is) {
      case "nothing":
        return { meant: [], nothing: use.what };
      case "bound":
        return bound(file, use, name);
      case "module":
        return imports.moduleMeaning(use.module, file);
      case "imported":
        return imports.imported(file, use.by, name, step);
      case "member":
        return member(file, { name, explained, of: use.of, as: use.as }, step);
      case "alone":
        return alone(file, { name, explained, isMember: use.isMember }, step);
      default:
        return use satisfies never;
    }
  }

  async function bound(file: File, use: Extract<ExplainedUse["use"], { is: "bound" }>, name: string): Promise<UseMeaning> {
    const row = await imports.boundRow(file, { ...use.by, to: use.to }, use.what);
    // `mod name;` of Rust stands for a file.
    const module = file.language === "rust" && row.kind === "module" ? { module: { name: `self::${name}`, file } } : {};
    return { meant: [{ row, reason: reasonOf(use), isSure: true }], ...module };
  }

  type Alone = { readonly name: string; readonly explained: ExplainedUse; readonly isMember: boolean };

  async function alone(file: File, { name, explained, isMember }: Alone, step: number): Promise<UseMeaning> {
    const rows = await rowsNamed(name, file);
    if (isMember) {
      for (const own of explained.inside) {
        const type = await types.typeNamed(own, file);
        const found = type === undefined ? [] : await types.memberOf(type, name, step, new Set());
        if (found.length > 0) {
          return {
            meant: found.map((row) => ({ row, reason: `member of ${own}, the type around it, or of what that extends`, isSure: true })),
          };
        }
      }
    }
    const seen = rows.filter((row) => row.kind !== "method" || (isMember && row.scope === ""));
    const here = seen.filter((row) => isIn(row, file));
    if (here.length > 0) {
      return { meant: here.map((row) => ({ row, reason: "defined in the same file", isSure: here.length === 1 })) };
    }
    const neighbours = BY_FOLDER.has(file.language) ? seen.filter((row) => distance(row, file) === 1) : [];
    if (neighbours.length > 0) {
      return {
        meant: neighbours.map((row) => ({
          row,
          reason: "defined in the same package",
          isSure: neighbours.length === 1 || row.kind === neighbours[0]?.kind,
        })),
      };
    }
    const wild = explained.imports.filter(({ local, name: of }) => local === undefined && of === undefined);
    const fits = wild.map(({ module }) => ({ module, fit: createFit(module, file.path, file.language) }));
    const fitting = seen.flatMap((row) =>
      fits
        .filter(({ fit }) => fit(row.path) >= (file.language === "rust" ? 0.95 : 0.85))
        .map(({ module }) => ({ row, module }))
        .slice(0, 1),
    );
    if (fitting.length > 0) {
      return {
        meant: fitting.map(({ row, module }) => ({ row, reason: `in ${module}, which this file imports`, isSure: fitting.length === 1 })),
      };
    }
    return byNearness(seen.length > 0 ? seen : rows, file, explained.imports, "neither bound nor imported in this file");
  }

  return (file: File, place: UsePlace) => meaningOf(file, place, 0);
}

function reasonOf({ isHere, isTop, what }: Extract<ExplainedUse["use"], { is: "bound" }>): string {
  const reasons = {
    parameter: "parameter of a function around it",
    variable: "local to a function around it",
    member: "member of the type around it",
  };
  return isHere ? "it is defined in this very place" : isTop ? "defined in the same file" : reasons[what];
}
