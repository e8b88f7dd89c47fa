import { expect, test } from "vitest";
import { inOrder } from "./in-order.ts";

async function* numbers(count: number, taken: number[] = []) {
  for (let index = 0; index < count; index++) {
    taken.push(index);
    yield index;
  }
}

test("results come in the order of the items, however long each takes", async () => {
  const results: number[] = [];
  const work = async (item: number) => {
    for (let turn = 0; turn < (item * 7) % 5; turn++) {
      await Promise.resolve();
    }
    return item;
  };
  for await (const result of inOrder(numbers(50), 8, work)) {
    results.push(result);
  }
  expect(results).toEqual(Array.from({ length: 50 }, (_, index) => index));
});

test("no more items are taken than may be worked on", async () => {
  const taken: number[] = [];
  const results = inOrder(numbers(50, taken), 4, async (item) => item);
  await results.next();
  expect(taken).toHaveLength(4);
});

test("a failure is thrown in its place", async () => {
  const results = inOrder(numbers(5), 3, async (item) => {
    if (item === 1) {
      throw new Error("broken");
    }
    return item;
  });
  expect((await results.next()).value).toBe(0);
  await expect(results.next()).rejects.toThrow("broken");
});
