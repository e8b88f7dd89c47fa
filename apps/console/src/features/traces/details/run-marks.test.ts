import type { CodePlace } from "@sightline/observability/contract";
import { expect, test } from "vitest";
import { runMarks } from "./run-marks.ts";

const PLACE: CodePlace = {
  project_id: "p",
  project: "Demo",
  function: "Agent.act",
  line: 40,
  commit: "c1",
  runs: 10,
  failures: 0,
  p95_ms: 1_200,
  last_run_at: "2026-11-20T00:00:00Z",
  latest: [],
};
const SHOWN = {
  commit: "c2",
  definitions: [
    { name: "act", start_line: 52 },
    { name: "act", start_line: 200 },
    { name: "think", start_line: 9 },
  ],
};

test("a function is marked where it is now, the nearest of its name", () => {
  expect([...runMarks([PLACE], SHOWN)]).toEqual([[52, "10 runs · p95 1.20 s"]]);
});

test("what is not known at the commit that is shown is not marked", () => {
  const gone = { ...PLACE, function: "gone" };
  const unnamed = { ...PLACE, function: null };
  expect(runMarks([gone, unnamed], SHOWN).size).toBe(0);
  expect([...runMarks([gone], { ...SHOWN, commit: "c1" }).keys()]).toEqual([40]);
});

test("the runs of several projects are counted together, and the slower p95 is an upper bound", () => {
  const other = { ...PLACE, project_id: "q", runs: 30, failures: 8, p95_ms: 400 };
  expect(runMarks([PLACE, other], SHOWN).get(52)).toBe("40 runs · 20% failed (8) · p95 up to 1.20 s");
});
