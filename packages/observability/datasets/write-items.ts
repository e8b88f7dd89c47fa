import type { WriteItem, WrittenItems } from "#contract.ts";
import type { Query } from "#schema.ts";
import { makeVersion, type Making } from "./make-version.ts";

type Writing = Making & { readonly items: readonly WriteItem[]; readonly deleted: readonly string[] };

/**
 * Writes items of a request, as one version.
 *
 * @throws {AppError} as {@link makeVersion} does.
 */
export async function writeItems(query: Query, { items, deleted, ...making }: Writing): Promise<WrittenItems> {
  const { version, result } = await makeVersion(query, making, ({ check, write }) =>
    write(
      items.map((item, at) => check(item, item.id ?? `number ${at + 1}`)),
      deleted,
    ),
  );
  return { version, items: [...result] };
}
