/** Items of a dataset as tests, run by Vitest with the configuration beside this. */
import { afterAll, expect, test } from "vitest";
import { closeRedisPublisher, initializeRedisPublisher, traceTool } from "#src/index.ts";
import { describeDataset } from "#src/vitest.ts";

function exact({ output, expected }: { readonly output?: unknown; readonly expected?: unknown }): boolean {
  return output === expected;
}

let isInterrupted = false;

async function agent(input: string): Promise<string> {
  if (input === "fails") {
    throw new RangeError("no order");
  }
  if (input === "interrupts") {
    if (!isInterrupted) {
      // Ctrl-C once, as a terminal sends it.
      isInterrupted = true;
      process.kill(process.pid, "SIGINT");
    }
    await new Promise(() => undefined);
  }
  return input === "looks" ? traceTool({ name: "find_order", parameters: { input } }, () => `hello ${input}`) : `hello ${input}`;
}

await initializeRedisPublisher();
afterAll(closeRedisPublisher);

await describeDataset({ task: agent, dataset: process.env["DATASET"] ?? "", evaluators: [exact], repetitions: 2 });

test("of its own", () => {
  expect(exact({ output: 1, expected: 1 })).toBe(true);
});
