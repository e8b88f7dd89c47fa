import { expect, test } from "vitest";
import type { LastJob, PolledBranch } from "./polls.store.ts";
import { planPoll } from "./plan-poll.ts";

const now = new Date("2026-01-01T12:00:00Z");
const HOUR = 60 * 60_000;

const main: PolledBranch = { name: "main", is_default: true, indexed_commit: "a", behind: 0 };
const remote = { defaultBranch: "main", head: "a", branches: [{ name: "main", commit: "a" }] };
const base = { remote, wanted: [], branches: [main], jobs: [], recovered: false, now };
const nothing = { jobs: [], settled: [], unwanted: [] };

function job(changes: Partial<LastJob> = {}): LastJob {
  return { ref: null, active: false, ended: null, commit: "a", completed_at: now, ...changes };
}

test("nothing is asked for where the newest commit is indexed", () => {
  expect(planPoll(base)).toEqual(nothing);
});

test("a commit that no delivery told of is asked for, unless a job is due", () => {
  const moved = { ...base, remote: { ...remote, head: "b", branches: [{ name: "main", commit: "b" }] } };
  expect(planPoll(moved).jobs).toEqual([{ ref: undefined, commit: "b" }]);
  expect(planPoll({ ...moved, jobs: [job({ active: true })] }).jobs).toEqual([]);
});

test("another default branch is asked for, also at the same commit", () => {
  const switched = { defaultBranch: "trunk", head: "a", branches: [...remote.branches, { name: "trunk", commit: "a" }] };
  expect(planPoll({ ...base, remote: switched }).jobs).toEqual([{ ref: undefined, commit: "a" }]);
  const known = { ...main, name: "trunk", is_default: false };
  expect(planPoll({ ...base, remote: switched, branches: [main, known] }).jobs).toEqual([{ ref: undefined, commit: "a" }]);
});

test("a remote whose HEAD is on no branch is compared by its commit", () => {
  const detached = { defaultBranch: null, head: "b", branches: [] };
  expect(planPoll({ ...base, remote: detached, branches: [{ ...main, name: "HEAD", indexed_commit: "b" }] })).toEqual(nothing);
});

test("what failed at a commit is not tried again for hours, unless the branch moves or the host answers again", () => {
  const failing = { ...base, branches: [], jobs: [job({ ended: "failed", completed_at: new Date(now.getTime() - HOUR) })] };
  expect(planPoll(failing).jobs).toEqual([]);
  expect(planPoll({ ...failing, recovered: true }).jobs).toHaveLength(1);
  expect(planPoll({ ...failing, jobs: [job({ ended: "failed", commit: "z" })] }).jobs).toHaveLength(1);
  expect(planPoll({ ...failing, now: new Date(now.getTime() + 6 * HOUR) }).jobs).toHaveLength(1);
});

test("what somebody cancelled is not taken up again for hours, unless the branch moves", () => {
  const cancelled = (commit: string | null) => ({ ...base, branches: [], jobs: [job({ ended: "cancelled", commit })] });
  expect(planPoll(cancelled("a")).jobs).toEqual([]);
  expect(planPoll(cancelled(null)).jobs).toEqual([]);
  expect(planPoll({ ...cancelled("a"), recovered: true }).jobs).toEqual([]);
  expect(planPoll(cancelled("z")).jobs).toHaveLength(1);
  expect(planPoll({ ...cancelled("a"), now: new Date(now.getTime() + 6 * HOUR) }).jobs).toHaveLength(1);
});

test("branches that are wanted are compared, those that are gone are looked at by a job, others are taken away", () => {
  const branch = (name: string): PolledBranch => ({ name, is_default: false, indexed_commit: "a", behind: 0 });
  const plan = planPoll({
    ...base,
    remote: {
      ...remote,
      branches: [...remote.branches, { name: "next", commit: "c" }, { name: "same", commit: "a" }, { name: "old", commit: "a" }],
    },
    wanted: ["next", "same", "gone", "never"],
    branches: [main, branch("same"), branch("gone"), branch("old")],
  });
  expect(plan).toEqual({
    jobs: [
      { ref: "next", commit: "c" },
      { ref: "gone", commit: null },
    ],
    settled: [],
    unwanted: ["old"],
  });
});

test("pushes that seem missing though the newest commit is indexed are no longer", () => {
  expect(planPoll({ ...base, branches: [{ ...main, behind: 2 }] }).settled).toEqual([{ branch: "main", commit: "a" }]);
});
