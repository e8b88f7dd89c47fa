import { isDeepStrictEqual } from "node:util";
import type { Item, ItemChange } from "#contract.ts";
import type { ItemRow } from "./items.store.ts";

export function presentItem(row: ItemRow): Item {
  const { item_id: id, version, input, expected, metadata, split, subject, cluster, is_required: required, source } = row;
  const checks = [...row.checks];
  return { id, version, input, expected, checks, metadata, split, subject, cluster, required, source, redacted: row.redacted_at !== null };
}

const FIELDS = ["input", "expected", "checks", "metadata", "split", "subject", "cluster", "required", "source"] as const;

/** How items became what they are, of those that are not alike before and after. */
export function diffItems(ids: readonly string[], rowsBefore: readonly ItemRow[], rowsAfter: readonly ItemRow[]): ItemChange[] {
  const [before, after] = [rowsBefore, rowsAfter].map((rows) => new Map(rows.map((row) => [row.item_id, presentItem(row)])));
  return ids.flatMap((id): ItemChange[] => {
    const [old, now] = [before?.get(id) ?? null, after?.get(id) ?? null];
    if (old === null || now === null) {
      return old === now ? [] : [{ id, state: old === null ? "added" : "removed", fields: [], before: old, after: now }];
    }
    const fields = FIELDS.filter((field) => !isDeepStrictEqual(old[field], now[field]));
    return fields.length === 0 ? [] : [{ id, state: "changed", fields, before: old, after: now }];
  });
}
