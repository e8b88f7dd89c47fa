import { DatabaseError } from "pg";
import { expect, test } from "vitest";
import { createEachOwner } from "./each-owner.ts";
import { createLog } from "./log.ts";
import { silentLog } from "./testing/silent-log.ts";

const idOf = (owner: string) => owner;

test("what fails for one owner stops no other, and is told", async () => {
  const each = createEachOwner({ log: silentLog, name: "counting a project" });
  const worked: string[] = [];
  const left = await each(["a", "b", "c"], {
    idOf,
    work: async (owner) => {
      if (owner === "b") {
        throw new Error("too much");
      }
      worked.push(owner);
    },
  });
  expect([worked, left]).toEqual([["a", "c"], ["b"]]);
});

test("an owner whose work fails is tried less and less often, and each time again once it worked", async () => {
  let now = 0;
  let isBroken = true;
  const each = createEachOwner({ log: silentLog, name: "counting a project", clock: { now: () => new Date(now) } });
  const triedAt: number[] = [];
  const work = async () => {
    triedAt.push(now / 1_000);
    if (isBroken) {
      throw new Error("too much");
    }
  };
  for (; now <= 4 * 3_600_000; now += 10_000) {
    expect(await each(["a"], { idOf, work })).toEqual(["a"]);
  }
  expect(triedAt.slice(0, 5)).toEqual([0, 30, 90, 210, 450]);
  const pauses = triedAt.map((at, index) => at - (triedAt[index - 1] ?? at));
  expect(Math.max(...pauses)).toBe(3_600);
  isBroken = false;
  now += 3_600_000;
  expect(await each(["a"], { idOf, work })).toEqual([]);
  expect(await each(["a"], { idOf, work })).toEqual([]);
  expect(triedAt.slice(-2)).toEqual([now / 1_000, now / 1_000]);
});

test("a failure is logged once, until it is another one or is over", async () => {
  let now = 0;
  let reason: string | undefined = "too much";
  const lines: string[] = [];
  const log = createLog({ name: "test", level: "info", destination: { write: (line) => void lines.push(line) } });
  const each = createEachOwner({ log, name: "counting a project", clock: { now: () => new Date(now) } });
  const round = async () => {
    now += 3_600_000;
    await each(["a"], {
      idOf,
      work: async () => {
        if (reason !== undefined) {
          throw new Error(reason);
        }
      },
    });
  };
  await round();
  await round();
  expect(lines).toHaveLength(1);
  reason = "something else";
  await round();
  reason = undefined;
  await round();
  await round();
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    "counting a project failed; it is tried again, the others go on",
    "counting a project failed; it is tried again, the others go on",
    "counting a project works again",
  ]);
});

test("a database that is away is nobody's own failure: the round ends", async () => {
  const each = createEachOwner({ log: silentLog, name: "counting a project" });
  const refused = (code: string) => Object.assign(new DatabaseError("away", 0, "error"), { code });
  const worked: string[] = [];
  const run = (error: Error) =>
    each(["a", "b"], {
      idOf,
      work: async (owner) => {
        worked.push(owner);
        throw error;
      },
    });
  await expect(run(refused("57P03"))).rejects.toThrow("away");
  await expect(run(new Error("Connection terminated unexpectedly"))).rejects.toThrow("terminated");
  expect(worked).toEqual(["a", "a"]);
  // A statement that takes too long says nothing of the others.
  expect(await run(refused("57014"))).toEqual(["a", "b"]);
});

test("no other work begins once it is stopped, or so many were worked for", async () => {
  const stopping = new AbortController();
  const each = createEachOwner({ log: silentLog, name: "counting a project" });
  const worked: string[] = [];
  const work = async (owner: string) => {
    worked.push(owner);
    if (owner === "d") {
      stopping.abort();
    }
  };
  await each(["a", "b", "c"], { idOf, work, max: 2 });
  await each(["d", "e"], { idOf, work, signal: stopping.signal });
  expect(worked).toEqual(["a", "b", "d"]);
});
