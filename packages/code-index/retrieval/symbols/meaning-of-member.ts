import type { ExplainedUse, MemberUse } from "#splitting/uses/explain-use.ts";
import type { Holder } from "#splitting/uses/holder.ts";
import type { Lookups } from "./lookups.ts";
import { joined, type Imports } from "./meaning-of-import.ts";
import { createFit } from "./module-fit.ts";
import { byFit, byNearness, lastPart, type File, type UseMeaning } from "./near-rows.ts";
import { MAX_MEANT, type Types } from "./types-of.ts";

type Member = { readonly name: string; readonly explained: ExplainedUse; readonly of: Holder | undefined; readonly as: MemberUse };

/** Finds what `name` of `a.name` means, by what `a` is. */
export function createMembers({ rowsNamed }: Lookups, { moduleMeaning, exportOf }: Imports, { typesOf, memberOf }: Types) {
  type OfModule = { readonly name: string; readonly module: NonNullable<UseMeaning["module"]>; readonly imports: ExplainedUse["imports"] };

  async function ofModule(file: File, { name, module, imports }: OfModule, step: number): Promise<UseMeaning> {
    const rows = byFit(await rowsNamed(name, file), createFit(module.name, module.file.path, module.file.language)).filter(
      ({ row }) => row.kind !== "method",
    );
    const [best] = rows;
    const deeper = { name: joined(module.name, name, file.language), file: module.file };
    const exported = best === undefined || best.fit < 0.95 ? await exportOf(module.name, name, module.file, step) : undefined;
    const inner = best === undefined && exported === undefined ? await moduleMeaning(deeper.name, module.file) : exported;
    if (inner !== undefined && inner.meant.length > 0) {
      return { ...inner, module: deeper };
    }
    return best === undefined
      ? {
          ...byNearness(await rowsNamed(name, file), file, imports, `of ${module.name}, which is not here`),
          module: deeper,
          unknown: `${name} is of ${module.name}, which is not here`,
        }
      : {
          module: deeper,
          meant: rows
            .filter(({ fit }) => fit === best.fit)
            .map(({ row }) => ({ row, reason: `of the module ${module.name}`, isSure: true })),
        };
  }

  async function member(file: File, { name, explained, of, as }: Member, step: number): Promise<UseMeaning> {
    const held = of === undefined ? { types: [] } : await typesOf(file, of, { own: explained.inside[0], isGiven: as === "given" }, step);
    if (held.module !== undefined) {
      return ofModule(file, { name, module: held.module, imports: explained.imports }, step);
    }
    const types = held.isList === true ? [] : held.types;
    for (const type of types.slice(0, MAX_MEANT)) {
      const found = await memberOf(type.row, name, step, new Set(), as);
      if (found.length > 0) {
        const how =
          of === "self"
            ? "member of the type around it"
            : of === "super"
              ? "member of what the type around it extends"
              : as === "given"
                ? `given by name to ${type.row.name}`
                : `member of ${type.row.name}, the type of what stands before it`;
        return {
          meant: found.map((row) => ({
            row,
            reason: row.scope !== "" && lastPart(row.scope) !== lastPart(type.row.name) ? `${how}, by what that extends` : how,
            isSure: true,
          })),
        };
      }
    }
    const rows = (await rowsNamed(name, file)).filter((row) => row.scope !== "" || row.kind === "method");
    const [type] = types;
    const why = type === undefined ? "the type of what stands before it is not told" : `${type.row.name} is not known to have it`;
    return { ...byNearness(rows.length > 0 ? rows : await rowsNamed(name, file), file, explained.imports, why), unknown: why };
  }

  return member;
}
