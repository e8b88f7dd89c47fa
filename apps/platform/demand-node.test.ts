import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const FILE = fileURLToPath(new URL("demand-node.cjs", import.meta.url));

test("a Node.js that is too old is told which one is needed, and any other goes on", () => {
  expect(runWith("20.20.2")).toEqual({ status: 1, stderr: expect.stringContaining("needs Node.js 22.18 or newer, and this is 20.20.2") });
  expect(runWith("22.17.1").status).toBe(1);
  expect(runWith("22.18.0")).toEqual({ status: 0, stderr: "" });
  expect(runWith(process.versions.node)).toEqual({ status: 0, stderr: "" });
});

function runWith(version: string) {
  const code = `Object.defineProperty(process.versions, "node", { value: ${JSON.stringify(version)} }); require(${JSON.stringify(FILE)});`;
  const { status, stderr } = spawnSync(process.execPath, ["--eval", code], { encoding: "utf8" });
  return { status, stderr };
}
