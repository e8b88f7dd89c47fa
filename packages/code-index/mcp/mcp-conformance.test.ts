import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startConformanceEndpoint } from "#testing/conformance-endpoint.ts";

/** The official conformance suite, at the requirements of both revisions as they were released. */
let endpoint: Awaited<ReturnType<typeof startConformanceEndpoint>>;

const require = createRequire(import.meta.url);
const BASELINE = join(import.meta.dirname, "../testing/conformance-expected-failures.yaml");
/** Only ever to be lowered. */
const EXPECTED_FAILURES = 6;

beforeAll(async () => {
  endpoint = await startConformanceEndpoint();
});

afterAll(() => endpoint.stop());

async function runSuite(revision: string, baseline: readonly string[]): Promise<{ readonly status: number; readonly output: string }> {
  const manifest = require.resolve("@modelcontextprotocol/conformance/package.json");
  const suite = join(dirname(manifest), "dist/index.js");
  const child = spawn(process.execPath, [suite, "server", "--url", endpoint.url, "--requirements", revision, ...baseline]);
  let output = "";
  child.stdout.on("data", (text) => (output += String(text)));
  child.stderr.on("data", (text) => (output += String(text)));
  const [status] = (await once(child, "close")) as [number];
  return { status, output };
}

/** Scenarios by whether all of their checks passed. */
function outcomesOf(output: string) {
  const lines = output.split("\n");
  const matching = (pattern: RegExp) => lines.flatMap((line) => pattern.exec(line)?.[1] ?? []);
  return { passed: matching(/^✓ ([\w-]+): [1-9]\d* passed, 0 failed/u).length, failed: matching(/^✗ ([\w-]+): /u) };
}

// They wait much and work little.
describe.concurrent("the MCP conformance suite", { timeout: 60_000 }, () => {
  test("of 2026-07-28 passes whole", async () => {
    const { status, output } = await runSuite("2026-07-28", []);
    const { passed, failed } = outcomesOf(output);
    expect({ status, failed }).toMatchObject({ status: 0 });
    expect(passed).toBeGreaterThanOrEqual(37);
  });

  test("of 2025-11-25 passes but for what needs sessions", async () => {
    const { status, output } = await runSuite("2025-11-25", ["--expected-failures", BASELINE]);
    const { passed, failed } = outcomesOf(output);
    expect({ status, failed }).toMatchObject({ status: 0 });
    expect(passed).toBeGreaterThanOrEqual(24);
  });
});

test("the list of expected failures does not grow", async () => {
  const entries = (await readFile(BASELINE, "utf8")).split("\n").filter((line) => line.trim().startsWith("- "));
  expect(entries.length).toBeLessThanOrEqual(EXPECTED_FAILURES);
});
