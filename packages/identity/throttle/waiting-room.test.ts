import { describe, expect, test } from "vitest";
import { createWaitingRoom, realSleep } from "./waiting-room.ts";

/** A sleep that ends when it is told to. */
function createManualSleep() {
  const wakers: (() => void)[] = [];
  return {
    sleep: () => new Promise<void>((resolve) => void wakers.push(resolve)),
    wakeAll: () => wakers.splice(0).forEach((wake) => wake()),
    asleep: () => wakers.length,
  };
}

describe("a waiting room", () => {
  test("holds ten for one key; the next is told to come back, and may once they are through", async () => {
    const { sleep, wakeAll } = createManualSleep();
    const room = createWaitingRoom(sleep);
    const waiting = Array.from({ length: 10 }, () => room.wait("ada", 8, undefined));

    await expect(room.wait("ada", 8, undefined)).rejects.toMatchObject({
      status: 429,
      code: "too_many_tries",
      headers: { "retry-after": "8" },
    });
    const other = room.wait("bea", 8, undefined);

    wakeAll();
    await Promise.all([...waiting, other]);
    const next = room.wait("ada", 8, undefined);
    wakeAll();
    await expect(next).resolves.toBeUndefined();
  });

  test("holds two hundred in all", async () => {
    const { sleep, wakeAll, asleep } = createManualSleep();
    const room = createWaitingRoom(sleep);
    const waiting = Array.from({ length: 200 }, (_, index) => room.wait(`account-${index}`, 1, undefined));

    await expect(room.wait("one-more", 1, undefined)).rejects.toMatchObject({ status: 429 });

    expect(asleep()).toBe(200);
    wakeAll();
    await Promise.all(waiting);
  });

  test("lets go at once of someone who has left, and their place is free", async () => {
    const room = createWaitingRoom(realSleep);
    const leaving = new AbortController();
    const waiting = Array.from({ length: 10 }, () => room.wait("ada", 3600, leaving.signal));

    leaving.abort();

    for (const wait of waiting) {
      await expect(wait).rejects.toMatchObject({ code: "client_gone" });
    }
    await expect(room.wait("ada", 3600, AbortSignal.abort())).rejects.toMatchObject({ code: "client_gone" });
    await expect(room.wait("ada", 0.001, undefined)).resolves.toBeUndefined();
  });

  test("frees the place of someone whose waiting failed", async () => {
    const room = createWaitingRoom(() => Promise.reject(new Error("no timers")));

    for (let round = 0; round < 20; round++) {
      await expect(room.wait("ada", 1, undefined)).rejects.toThrow("no timers");
    }
  });
});
