import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  compareWithTruths,
  createGraphFixture,
  expectCaughtFailures,
  spellTaken,
  type GraphFixture,
  type GraphTruth,
} from "#testing/graph-fixture.ts";

/** Real LangGraph.js agents under the real SDK. */
const AGENTS = fileURLToPath(new URL("../../../sdk/testing/run-graph-agents.ts", import.meta.url));
const RESUME = fileURLToPath(new URL("../../../sdk/testing/run-resume.ts", import.meta.url));

let fixture: GraphFixture;
let truths: readonly GraphTruth[];

beforeAll(async () => {
  fixture = await createGraphFixture();
  truths = JSON.parse(await fixture.run([process.execPath, AGENTS])) as GraphTruth[];
});
afterAll(async () => {
  await fixture.close();
});

test("the graph of taken edges is, for every agent, what is known of its run, and the same in every run", async () => {
  const { stored, known } = await compareWithTruths(fixture, truths);
  expect(stored).toEqual(known);
  expect(new Set(truths.map(({ name }) => name)).size * 2).toBe(truths.length);
});

test("an interrupt is no failure; its resume belongs to the same trace, and the time between is apart", async () => {
  const [trace] = await fixture.tracesNamed("two interrupts in one node beside a node that is done, and their resumes #1");
  expect(trace?.segments.map(({ status }) => status)).toEqual(["interrupted", "interrupted", "success"]);
  const spans = (trace?.segments ?? []).map(({ started_at: start, ended_at: end }) => Date.parse(end ?? "") - Date.parse(start));
  const ran = spans.reduce((sum, span) => sum + span, 0);
  // Times are shown in milliseconds and counted in microseconds.
  expect(Math.abs((trace?.duration_ms ?? 0) - ran)).toBeLessThan(4);
  expect(trace?.observation_list.map(({ name, status }) => `${name} ${status}`)).toEqual([
    "ask interrupted",
    "beside success",
    "ask interrupted",
    "ask success",
    "act success",
    "after success",
  ]);
  expect(trace).toMatchObject({ status: "success", failures: 0, observations: 6, output: { seen: expect.arrayContaining(["a", "b"]) } });
  for (const { id } of trace?.segments ?? []) {
    expect((await fixture.api.get(`/api/v1/traces/${id}`)).body["id"]).toBe(trace?.id);
  }
});

test("a resume in another process belongs to the same trace, and the graph knows what the first process did", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sightline-resume-"));
  const file = join(folder, "checkpoints");
  for (const step of ["start", "one", "two"]) {
    await fixture.run([process.execPath, RESUME], [step, file]);
  }
  rmSync(folder, { recursive: true });
  const [trace, ...others] = await fixture.tracesNamed("asked in three processes");
  expect(others).toEqual([]);
  expect(trace).toMatchObject({ status: "success", segments: [{}, {}, {}] });
  expect(trace?.waiting_ms).toBeGreaterThan(0);
  expect(spellTaken(trace)).toEqual(truths.find(({ name }) => name.startsWith("two interrupts in one node"))?.taken.toSorted());
  const producers = await fixture.database.pool.query(
    "select distinct start_producer from observability.traces where name = 'asked in three processes'",
  );
  expect(producers.rows).toHaveLength(3);
});

test("declared graphs have the names of the taken edges, inner graphs included, and every edge that was gone was declared", async () => {
  for (const name of ["subgraphs in subgraphs", "parallel branches", "a loop by", "tasks sent by two"]) {
    const [trace] = await fixture.tracesNamed(name);
    const declared = new Set(trace?.graph?.declared?.edges.map(({ from, to }) => `${from} ${to}`));
    expect(trace?.graph?.taken.filter(({ from, to }) => !declared.has(`${from} ${to}`))).toEqual([]);
    expect(declared.size).toBeGreaterThan(2);
  }
});

test("a tool's failure that was caught is not why the agent died of the recursion limit later", async () => {
  await expectCaughtFailures(fixture);
});
