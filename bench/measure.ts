export type Figures = { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number };

export type Timed = { readonly took: readonly number[]; readonly totalMs: number };

/** Works through the items, so many at once, and times each. */
export async function time<Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>): Promise<Timed> {
  const queue = items.values();
  const took: number[] = [];
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) {
        const began = performance.now();
        await work(item);
        took.push(performance.now() - began);
      }
    }),
  );
  return { took, totalMs: performance.now() - startedAt };
}

export function figuresOf({ took, totalMs }: Timed): Figures {
  const sorted = took.toSorted((one, other) => one - other);
  const percentile = (share: number) => sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? 0;
  return { perSecond: (took.length / totalMs) * 1000, p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
}
