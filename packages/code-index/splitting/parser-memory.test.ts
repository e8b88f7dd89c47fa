import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const SCRIPT = fileURLToPath(import.meta.resolve("#testing/split-swift.ts"));

test("the grammar of Swift is not optimised, which would take gigabytes", async () => {
  // Whatever V8 would optimise, as it was called often enough, it does at once.
  const { stdout } = await run(process.execPath, ["--wasm-sync-tier-up", "--wasm-tiering-budget=1000", SCRIPT]);

  const { definitions, memory } = JSON.parse(stdout) as { definitions: number; memory: number };
  expect(definitions).toBe(500);
  expect(memory).toBeLessThan(800_000);
});
