import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { createParserThreads } from "./parser-threads.ts";

const numbered = new URL(import.meta.resolve("#testing/thread-number.ts"));

test("a thread without a file ends after a while, and the next file gets a new one", async () => {
  const pool = createParserThreads<string, number>({
    worker: numbered,
    threads: 1,
    fileMs: 30_000,
    idleMs: 1_000,
    pack: (request) => [request, []],
    lost: () => -1,
  });
  const [first, second] = [await pool.run("a"), await pool.run("b")];
  await wait(1_500);
  const third = await pool.run("c");
  await pool.close();

  expect(second).toBe(first);
  expect(third).toBeGreaterThan(first);
});
