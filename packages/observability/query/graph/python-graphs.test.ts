import { needsPython } from "@sightline/foundation/testing/find-python";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareWithTruths, createGraphFixture, expectCaughtFailures, type GraphFixture, type GraphTruth } from "#testing/graph-fixture.ts";
import { pythonProgram } from "#testing/python-program.ts";

/** Real agents of LangGraph for Python under the real SDK. */
describe("the graph of a run in Python", needsPython, () => {
  let fixture: GraphFixture;
  let truths: readonly GraphTruth[];

  beforeAll(async () => {
    fixture = await createGraphFixture();
    truths = JSON.parse(await runPython("run_graph_agents.py")) as GraphTruth[];
  });
  afterAll(async () => {
    await fixture.close();
  });

  test("is, for every agent, what is known of its run, and the same in every run", async () => {
    const { stored, known } = await compareWithTruths(fixture, truths);
    expect(stored).toEqual(known);
    expect(new Set(truths.map(({ name }) => name)).size * 2).toBe(truths.length);
    expect(truths.length).toBeGreaterThanOrEqual(40);
  });

  test("was declared with every edge that was gone, inner graphs included", async () => {
    for (const name of ["subgraphs in subgraphs", "parallel branches", "a loop by", "tasks sent by two", "an agent made by create_agent"]) {
      const [trace] = await fixture.tracesNamed(name);
      const declared = new Set(trace?.graph?.declared?.edges.map(({ from, to }) => `${from} ${to}`));
      expect(trace?.graph?.taken.filter(({ from, to }) => !declared.has(`${from} ${to}`))).toEqual([]);
      expect(declared.size).toBeGreaterThan(2);
    }
  });

  test("is one when it is asked and answered in three processes", async () => {
    for (const step of ["start", "one", "two"]) {
      await runPython("run_resume.py", step);
    }
    const [trace, ...others] = await fixture.tracesNamed("asked in three processes");
    expect(others).toEqual([]);
    expect(trace).toMatchObject({ status: "success", segments: [{}, {}, {}], output: { seen: expect.arrayContaining(["one", "two"]) } });
    expect(trace?.waiting_ms).toBeGreaterThan(0);
  });

  test("a tool's failure that was caught is not why the agent died of the recursion limit later", async () => {
    await expectCaughtFailures(fixture);
  });

  async function runPython(script: string, ...rest: readonly string[]): Promise<string> {
    const { program, options } = pythonProgram(`testing/${script}`);
    return await fixture.run(program, rest, options);
  }
});
