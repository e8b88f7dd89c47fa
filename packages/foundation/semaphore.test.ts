import { expect, test } from "vitest";
import { refusal } from "#errors.ts";
import { createSemaphore } from "./semaphore.ts";

test("so many works of one owner go on at once, in order, while another's begin at once", async () => {
  const semaphore = createSemaphore({ atOnce: 2, waitMs: 10_000 });
  const begun: string[] = [];
  const works = ["a1", "a2", "a3", "a4", "b1"].map((name) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const work = async () => {
      begun.push(name);
      return promise;
    };
    return { end: () => resolve(name), ended: semaphore.run(name[0] ?? "", undefined, work) };
  });
  expect(begun).toEqual(["a1", "a2", "b1"]);
  works[1]?.end();
  await works[1]?.ended;
  await expect.poll(() => begun).toEqual(["a1", "a2", "b1", "a3"]);
  for (const { end } of works) {
    end();
  }
  expect(await Promise.all(works.map(({ ended }) => ended))).toEqual(["a1", "a2", "a3", "a4", "b1"]);
});

test("without a time limit work waits as long as it takes, and more than may wait is refused in the words of the limit", async () => {
  const semaphore = createSemaphore({ atOnce: 1, maxWaiting: 1, refuse: () => refusal(429, "too_many_tries", "Wait.") });
  const giveBack = await semaphore.take("a");
  const next = semaphore.take("a");
  await expect(semaphore.take("a")).rejects.toMatchObject({ code: "too_many_tries" });
  giveBack();
  giveBack();
  await next;
  const after = semaphore.run("a", undefined, async () => "done");
  (await next)();
  expect(await after).toBe("done");
});

test("who waits too long is told, who is gone waits no more, and neither takes a turn from those after", async () => {
  const semaphore = createSemaphore({ atOnce: 1, waitMs: 30 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = semaphore.run("a", undefined, () => promise);
  const gone = new AbortController();
  const abandoned = semaphore.run("a", gone.signal, async () => "never");
  const late = semaphore.run("a", undefined, async () => "never");
  gone.abort(new Error("gone"));
  await expect(abandoned).rejects.toThrow("gone");
  await expect(late).rejects.toMatchObject({ code: "too_busy", status: 503 });
  const after = semaphore.run("a", undefined, async () => "done");
  resolve();
  await first;
  expect(await after).toBe("done");
  await expect(
    semaphore.run("a", undefined, async () => {
      throw new Error("failed");
    }),
  ).rejects.toThrow("failed");
  expect(await semaphore.run("a", undefined, async () => "next")).toBe("next");
});
