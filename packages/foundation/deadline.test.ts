import { expect, test } from "vitest";
import { LATE, raceAbort, within } from "./deadline.ts";

const never = () => new Promise<never>(() => undefined);

test("work that ends in time gives its result, and work that does not is late", async () => {
  expect(await within(async () => "done", 1_000)).toBe("done");
  expect(await within(never, 5)).toBe(LATE);
});

test("what the work throws is thrown, also before it has returned a promise", async () => {
  await expect(within(() => Promise.reject(new Error("no")), 1_000)).rejects.toThrowError("no");
  const atOnce = () => {
    throw new Error("at once");
  };
  await expect(within(atOnce, 1_000)).rejects.toThrowError("at once");
});

test("work is not waited for when its signal is aborted, before or meanwhile", async () => {
  const controller = new AbortController();
  expect(await raceAbort(Promise.resolve("done"), controller.signal)).toBe("done");
  const waiting = raceAbort(never(), controller.signal);
  controller.abort(new Error("gone"));
  await expect(waiting).rejects.toThrowError("gone");
  await expect(raceAbort(never(), controller.signal)).rejects.toThrowError("gone");
});
