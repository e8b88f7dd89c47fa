import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fingerprint } from "./console-build.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "console-build-"));
  await write("index.html", "<html></html>");
  await write("package.json", JSON.stringify({ dependencies: { "@sightline/traces": "0.1.0", react: "19.0.0" } }));
  await write("node_modules/@sightline/traces/package.json", JSON.stringify({ dependencies: { "@sightline/base": "0.1.0" } }));
  await write("node_modules/@sightline/traces/contract.ts", "export const one = 1;");
  await write("node_modules/@sightline/base/package.json", "{}");
  await write("node_modules/@sightline/base/text.ts", "export const two = 2;");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ["its own", "main.tsx"],
  ["a package's that it takes code from", "node_modules/@sightline/traces/contract.ts"],
  ["a package's that this one needs", "node_modules/@sightline/base/text.ts"],
])("the console is built anew when a file changes that is %s", async (_whose, file) => {
  const before = await fingerprint([folder]);
  expect(await fingerprint([folder])).toBe(before);
  await write(file, "export const changed = true;");
  expect(await fingerprint([folder])).not.toBe(before);
});

test("tests and data of packages build nothing anew, and a folder without sources is as it is shipped", async () => {
  const before = await fingerprint([folder]);
  await write("node_modules/@sightline/traces/contract.test.ts", "test");
  await write("node_modules/@sightline/traces/data.json", "{}");
  expect(await fingerprint([folder])).toBe(before);
  await rm(join(folder, "index.html"));
  expect(await fingerprint([folder])).toBeUndefined();
});

async function write(file: string, text: string): Promise<void> {
  const at = join(folder, file);
  await mkdir(join(at, ".."), { recursive: true });
  await writeFile(at, text);
}
