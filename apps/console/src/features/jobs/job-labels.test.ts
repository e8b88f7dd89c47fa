import type { Job } from "@sightline/code-index/contract";
import { expect, test } from "vitest";
import { runTime } from "./job-labels.ts";

const job = { started_at: null, completed_at: null } as Job;
const now = Date.parse("2026-11-21T12:00:10Z");

test("a job's time runs from its start to its end, or to now", () => {
  expect(runTime(job, now)).toBeUndefined();
  expect(runTime({ ...job, started_at: "2026-11-21T12:00:00Z" }, now)).toBe(10_000);
  expect(runTime({ ...job, started_at: "2026-11-21T12:00:00Z", completed_at: "2026-11-21T12:00:04Z" }, now)).toBe(4_000);
});

test("a browser whose clock is behind the server's shows no negative time", () => {
  expect(runTime({ ...job, started_at: "2026-11-21T12:05:00Z" }, now)).toBe(0);
});
