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

/** The first try of a place of its own. */
function waiter(key: string, index: number) {
  return { key, network: `198.18.0.${index}`, tries: 1 };
}

describe("a waiting room", () => {
  test("holds two hundred for one key; the next is told to come back, and may once they are through", async () => {
    const { sleep, wakeAll } = createManualSleep();
    const room = createWaitingRoom(sleep);
    const waiting = Array.from({ length: 200 }, (_, index) => room.wait(waiter("ada", index), 8, undefined));

    await expect(room.wait(waiter("ada", 999), 8, undefined)).rejects.toMatchObject({
      status: 429,
      code: "too_many_tries",
      headers: { "retry-after": "8" },
    });
    const other = room.wait(waiter("bea", 999), 8, undefined);

    wakeAll();
    await Promise.all([...waiting, other]);
    const next = room.wait(waiter("ada", 999), 8, undefined);
    wakeAll();
    await expect(next).resolves.toBeUndefined();
  });

  test("holds four hundred in all", async () => {
    const { sleep, wakeAll, asleep } = createManualSleep();
    const room = createWaitingRoom(sleep);
    const waiting = Array.from({ length: 400 }, (_, index) => room.wait(waiter(`account-${index}`, index), 1, undefined));

    await expect(room.wait(waiter("one-more", 999), 1, undefined)).rejects.toMatchObject({ status: 429 });

    expect(asleep()).toBe(400);
    wakeAll();
    await Promise.all(waiting);
  });

  test.each([
    ["has tried more often", { network: "198.18.0.7", tries: 2 }],
    ["has more that wait", { network: "198.18.0.6", tries: 1 }],
  ])("when it is full, a first try finds a chair: whose place %s gives way", async (_why, weaker) => {
    const room = createWaitingRoom(realSleep);
    const leaving = new AbortController();
    const others = Array.from({ length: 199 }, (_, index) => room.wait(waiter("ada", index), 3600, leaving.signal));
    const gaveWay = room.wait({ key: "ada", ...weaker }, 3600, leaving.signal);
    const refused = Promise.allSettled([...others, gaveWay]);

    const owner = room.wait({ key: "ada", network: "203.0.113.7", tries: 1 }, 0.001, undefined);

    await expect(owner).resolves.toBeUndefined();
    leaving.abort();
    const codes = (await refused).map((outcome) =>
      outcome.status === "rejected" ? Reflect.get(Object(outcome.reason), "code") : "waited",
    );
    expect(codes.filter((code) => code === "too_many_tries")).toHaveLength(1);
    expect(codes.filter((code) => code === "client_gone")).toHaveLength(199);
  });

  test("lets go at once of someone who has left, and their place is free", async () => {
    const room = createWaitingRoom(realSleep);
    const leaving = new AbortController();
    const waiting = Array.from({ length: 200 }, (_, index) => room.wait(waiter("ada", index), 3600, leaving.signal));

    leaving.abort();

    for (const wait of waiting) {
      await expect(wait).rejects.toMatchObject({ code: "client_gone" });
    }
    await expect(room.wait(waiter("ada", 1), 3600, AbortSignal.abort())).rejects.toMatchObject({ code: "client_gone" });
    await expect(room.wait(waiter("ada", 1), 0.001, undefined)).resolves.toBeUndefined();
  });

  test("frees the place of someone whose waiting failed", async () => {
    const room = createWaitingRoom(() => Promise.reject(new Error("no timers")));

    for (let round = 0; round < 20; round++) {
      await expect(room.wait(waiter("ada", 1), 1, undefined)).rejects.toThrow("no timers");
    }
  });
});
