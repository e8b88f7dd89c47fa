export type Page<Item> = { readonly items: readonly Item[]; readonly next_cursor: string | null };

/** The most that the APIs give at once. */
export const PAGE_SIZE = 200;
const MAX_PAGES = 50;

/** The items of every page, for lists that are short by nature. */
export async function allPages<Item>(load: (cursor: string | undefined) => Promise<Page<Item>>): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items: more, next_cursor: next } = await load(cursor);
    items.push(...more);
    if (next === null) {
      break;
    }
    cursor = next;
  }
  return items;
}
