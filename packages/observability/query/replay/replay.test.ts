import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createReplayRig, expectDivergences, expectExample, expectRefusals, expectSame, type ReplayRig } from "#testing/replay-rig.ts";

/** Real LangGraph.js agents, recorded and replayed. */
const AGENTS = fileURLToPath(new URL("../../../sdk/testing/replay-agents.ts", import.meta.url));

let rig: ReplayRig;
beforeAll(async () => {
  rig = await createReplayRig({ program: [process.execPath, AGENTS] });
}, 120_000);
afterAll(async () => {
  await rig.close();
});

test("a replay gives every agent the same output and edges, with its models' server away, and runs no tool again", async () => {
  await expectSame(rig, ["graph", "streamed", "fan out", "inner", "async", "clients", "small", "nothing"]);
});

test("a replay refuses what was cut or masked, and names the step and the field", () => {
  expectRefusals(rig);
  const masked = "agent > llm ScriptedModel, call 1: output/0/tool_calls/0/args/api_key was cut, masked or not kept when it was recorded";
  expect(rig.replayed.found["masked"]).toEqual({ refused: expect.stringContaining(masked) });
  for (const [name, kind] of Object.entries({ class: "Order", date: "Date" })) {
    const reason = `tool look, call 1: output had a value of the class ${kind}, of which JSON keeps only the content`;
    expect(rig.replayed.found[name]).toEqual({ refused: expect.stringContaining(reason) });
  }
});

test("a replay says where it went another way, marks it on its trace, and stops or goes live", async () => {
  await expectDivergences(rig, "agent > llm ServedModel, call 1: its input differs from the recorded one at /1");
});

test("the example of the SDK records its trace and replays it", async () => {
  await expectExample(rig, { program: [process.execPath, fileURLToPath(new URL("../../../sdk/examples/replay.ts", import.meta.url))] });
});
