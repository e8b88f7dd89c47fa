/** Works on up to `limit` items at once, and takes no further one while the oldest result is not asked for. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const begun: Promise<Result>[] = [];
  let index = 0;
  for await (const item of items) {
    const result = work(item, index++);
    // Whoever awaits it learns of a failure.
    result.catch(() => undefined);
    begun.push(result);
    if (begun.length >= limit) {
      yield* oldest(begun);
    }
  }
  while (begun.length > 0) {
    yield* oldest(begun);
  }
}

async function* oldest<Result>(begun: Promise<Result>[]): AsyncGenerator<Result, void, undefined> {
  const result = begun.shift();
  if (result !== undefined) {
    yield await result;
  }
}
