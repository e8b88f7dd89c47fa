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

/** Of several rounds together. */
export function figuresOf(rounds: readonly Timed[]): Figures {
  const sorted = rounds.flatMap(({ took }) => took).toSorted((one, other) => one - other);
  const totalMs = rounds.reduce((sum, round) => sum + round.totalMs, 0);
  const percentile = (share: number) => sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? 0;
  return { perSecond: (sorted.length / totalMs) * 1000, p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
}
