import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { packSdks, SDK_FILES, sdkSources } from "#console-server/sdk-packages.ts";

const SCRIPT = fileURLToPath(new URL("release.ts", import.meta.url));

const run = promisify(execFile);

test("a dry run makes both packages, their SBOMs and checksums, and says how they would be published", { timeout: 180_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "sightline-release-"));
  const { stdout } = await run(process.execPath, [SCRIPT, "--dry-run", "--output", folder]);
  expect(stdout).toContain("Nothing was published");
  expect(stdout).toContain("name the repository with --repository");
  expect(stdout).toContain("npm publish sightline-sdk-0.5.0.tgz --access public\n");
  expect(stdout).toMatch(/twine upload sightline_sdk-0\.5\.0.*\.tar\.gz/);
  const sums = (await readFile(join(folder, "SHA256SUMS"), "utf8")).trimEnd().split("\n");
  for (const line of sums) {
    const [sha256, name = ""] = line.split("  ");
    expect(
      createHash("sha256")
        .update(await readFile(join(folder, name)))
        .digest("hex"),
      name,
    ).toBe(sha256);
  }
  expect(await readList(folder, "sightline-sdk-0.5.0.cdx.json")).toMatchObject({
    about: "@sightline/sdk@0.5.0",
    names: expect.arrayContaining(["ioredis", "redis-errors"]),
  });
  expect((await readList(folder, "sightline-sdk-0.5.0.cdx.json")).names).not.toContain("@langchain/langgraph");
  expect(await readList(folder, "sightline_sdk-0.5.0.cdx.json")).toEqual({ about: "sightline-sdk@0.5.0", names: ["redis"] });
  expect(await readList(folder, "sightline-server.cdx.json")).toMatchObject({ names: expect.arrayContaining(["fastify"]) });
  expect(sums.map((line) => line.split("  ")[1])).toEqual(
    expect.arrayContaining(["sightline-sdk-0.5.0.tgz", "sightline_sdk-0.5.0.tar.gz", "sightline-server.cdx.json"]),
  );
  // None is made where Python's packages can't be fetched.
  const wheels = sums.filter((line) => line.endsWith(".whl")).map((line) => join(folder, line.split("  ")[1] ?? ""));
  const unpacked = await Promise.all(wheels.map((wheel) => run("python3", ["-m", "zipfile", "-l", wheel])));
  expect(unpacked.every((listed) => listed.stdout.includes("sightline/CHANGELOG.md"))).toBe(true);
  await rm(folder, { recursive: true });
});

test("packages made for a repository say which, at which commit, and link to it", { timeout: 180_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "sightline-packages-"));
  const origin = { repository: "https://example.com/acme/sightline", commit: "c0ffee" };
  await packSdks(sdkSources(), folder, origin);
  const read = async (archive: string, ...names: string[]) => (await run("tar", ["-xzOf", join(folder, archive), ...names])).stdout;
  expect(JSON.parse(await read(SDK_FILES.npm, "package/package.json"))).toMatchObject({
    repository: { url: `git+${origin.repository}.git`, directory: "packages/sdk" },
    gitHead: origin.commit,
  });
  const source = `${origin.repository}/tree/${origin.commit}/packages`;
  expect(await read(SDK_FILES.npm, "package/README.md")).toContain(`(${source}/sdk/examples/plain.ts)`);
  for (const changelog of [
    await read(SDK_FILES.npm, "package/CHANGELOG.md"),
    await read(SDK_FILES.pip, "sightline_sdk-0.5.0/CHANGELOG.md"),
  ]) {
    expect(changelog).toContain("## 0.5.0\n");
  }
  const about = await read(SDK_FILES.pip, "sightline_sdk-0.5.0/PKG-INFO");
  expect(about).toContain(`Project-URL: Repository, ${origin.repository}`);
  expect(about).toContain("Requires-Dist: redis>=5.1\n");
  expect(about).toContain(`(${source}/sdk/README.md)`);
  await rm(folder, { recursive: true });
});

async function readList(folder: string, name: string) {
  const { metadata, components } = JSON.parse(await readFile(join(folder, name), "utf8")) as {
    metadata: { component: { name: string; version: string } };
    components: { name: string }[];
  };
  return { about: `${metadata.component.name}@${metadata.component.version}`, names: components.map((component) => component.name) };
}
