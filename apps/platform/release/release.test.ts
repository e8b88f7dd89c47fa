import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("release.ts", import.meta.url));

test("a dry run makes both packages, their SBOMs and checksums, and says how they would be published", { timeout: 180_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "sightline-release-"));
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, "--dry-run", "--output", folder]);
  expect(stdout).toContain("Nothing was published");
  expect(stdout).toContain("npm publish sightline-sdk-0.5.0.tgz --access public --provenance");
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
  const sbom = JSON.parse(await readFile(join(folder, "sightline-sdk-0.5.0.cdx.json"), "utf8")) as {
    bomFormat: string;
    components: { name: string }[];
  };
  expect(sbom.bomFormat).toBe("CycloneDX");
  expect(sbom.components.map(({ name }) => name)).toContain("ioredis");
  expect(sums.map((line) => line.split("  ")[1])).toEqual(
    expect.arrayContaining(["sightline-sdk-0.5.0.tgz", "sightline_sdk-0.5.0.tar.gz", "sightline-server.cdx.json"]),
  );
  await rm(folder, { recursive: true });
});
