import { needsPython } from "@sightline/foundation/testing/find-python";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pythonProgram } from "#testing/python-program.ts";
import { createReplayRig, expectDivergences, expectExample, expectRefusals, expectSame, type ReplayRig } from "#testing/replay-rig.ts";

/** Real agents of LangGraph for Python, recorded and replayed. */
describe("a replay in Python", needsPython, () => {
  let rig: ReplayRig;
  beforeAll(async () => {
    rig = await createReplayRig(pythonProgram("testing/replay_agents.py"));
  }, 120_000);
  afterAll(async () => {
    await rig.close();
  });

  test("gives every agent the same output and edges, with its models' server away, and runs no tool again", async () => {
    await expectSame(rig, ["graph", "streamed", "fan out", "inner", "async", "clients", "small"]);
  });

  test("refuses what was cut or masked, and names the step and the field", () => {
    expectRefusals(rig);
    const masked = "agent > llm ScriptedModel, call 1: output/0/tool_calls/0/args/api_key was cut, masked or not kept when it was recorded";
    expect(rig.replayed.found["masked"]).toEqual({ refused: expect.stringContaining(masked) });
    for (const [name, kind] of Object.entries({ tuple: "tuple", dataclass: "Order", pydantic: "Price" })) {
      const reason = `tool look, call 1: output had a value of the class ${kind}, of which JSON keeps only the content`;
      expect(rig.replayed.found[name]).toEqual({ refused: expect.stringContaining(reason) });
    }
  });

  test("says where it went another way, marks it on its trace, and stops or goes live", async () => {
    await expectDivergences(rig, "agent > llm ServedModel, call 1: its input differs from the recorded one at /1");
    const block = "tool charge, call 1: it can't be answered";
    expect(rig.replayed.found["block"]).toMatchObject({
      divergence: block,
      stopped: true,
      live: [],
      error: `ReplayStoppedError: ${block}`,
    });
  });

  test("is recorded and begun by the example of the SDK", async () => {
    await expectExample(rig, pythonProgram("examples/replay_agent.py"));
  });
});
