import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { warnOfOldVersion } from "./ai-sdk-version.ts";

it.each([
  ["6.0.326", [[expect.stringMatching(/traceAiSdk\(\).*ai 6\.0\.326 is installed.*npm install ai@7.*OpenTelemetry/)]]],
  ["7.0.173", []],
])("with AI SDK %s it warns once where that is too old, by name and with what to do", async (version, calls) => {
  const folder = await mkdtemp(join(tmpdir(), "ai-sdk-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "node_modules", "ai"), { recursive: true });
  await writeFile(join(folder, "node_modules", "ai", "package.json"), JSON.stringify({ name: "ai", version }));
  const said = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  onTestFinished(() => said.mockRestore());
  warnOfOldVersion(["/", folder]);
  warnOfOldVersion([folder]);
  expect(said.mock.calls).toEqual(calls);
});
