/** One item's value, averaged over its repetitions. */
export type ItemValue = {
  readonly value: number;
  /** Items that share an issue, a session or a user are not independent; without it the item stands for itself. */
  readonly cluster?: string | undefined;
};

/** What is drawn by itself: an item, or the items that share a cluster. */
export type Unit = { readonly sum: number; readonly items: number };

export function unitsOf(values: readonly ItemValue[]): Unit[] {
  const grouped = Map.groupBy(values, (item) => item.cluster ?? item);
  return Array.from(grouped.values(), (group) => ({ sum: group.reduce((sum, { value }) => sum + value, 0), items: group.length }));
}

/** Of the mean over items: by sums of clusters with the correction for few of them, G / (G − 1) (Liang and Zeger, 1986); of single items it is s / √n. */
export function clusteredError(units: readonly Unit[], mean: number, items: number): number {
  const squares = units.reduce((total, unit) => total + (unit.sum - unit.items * mean) ** 2, 0);
  return units.length < 2 ? 0 : Math.sqrt((units.length / (units.length - 1)) * squares) / items;
}
