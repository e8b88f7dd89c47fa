import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { packSdks, SDK_FILES, sdkSources } from "#console-server/sdk-packages.ts";

export type Release = {
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
  /** The commands that publish it. */
  readonly publish: readonly string[];
  /** What could not be made here, and why. */
  readonly notes: readonly string[];
};

const WHEEL_MS = 120_000;
const run = promisify(execFile);

/** Makes both packages under the names that registries know, a wheel where there is a Python, SBOMs and checksums, in an emptied folder. */
export async function makeRelease(output: string): Promise<Release> {
  const folder = resolve(output);
  const { typescript } = sdkSources();
  const { version } = JSON.parse(await readFile(join(typescript, "package.json"), "utf8")) as { readonly version: string };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await packSdks(sdkSources(), folder);
  const [tarball, sdist] = [`sightline-sdk-${version}.tgz`, `sightline_sdk-${version}.tar.gz`];
  await rename(join(folder, SDK_FILES.npm), join(folder, tarball));
  await rename(join(folder, SDK_FILES.pip), join(folder, sdist));
  const notes = await makeWheel(join(folder, sdist), folder);
  await Promise.all([
    writeSbom(join(folder, `sightline-sdk-${version}.cdx.json`), ["-w", "@sightline/sdk"]),
    writeSbom(join(folder, "sightline-server.cdx.json"), []),
  ]);
  const names = (await readdir(folder)).toSorted();
  const files = await Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(folder, name));
      return { name, bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
    }),
  );
  await writeFile(join(folder, "SHA256SUMS"), files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(""));
  const python = names.filter((name) => name.startsWith("sightline_sdk-")).join(" ");
  return { files, publish: [`npm publish ${tarball} --access public --provenance`, `twine upload ${python}`], notes };
}

/** Built from the source distribution, as pip builds it. */
async function makeWheel(sdist: string, folder: string): Promise<readonly string[]> {
  const place = await mkdtemp(join(tmpdir(), "sightline-wheel-"));
  try {
    await run("python3", ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", place, sdist], { timeout: WHEEL_MS });
    for (const name of await readdir(place)) {
      await writeFile(join(folder, name), await readFile(join(place, name)));
    }
    return [];
  } catch {
    return ["No wheel was made, as there is no python3 with pip and access to its packages; pip installs the source distribution as well."];
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** The components that are installed with it, as CycloneDX. */
async function writeSbom(file: string, scope: readonly string[]): Promise<void> {
  const root = dirname(dirname(dirname(createRequire(import.meta.url).resolve("@sightline/console/package.json"))));
  const given = ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", ...scope];
  const { stdout } = await run("npm", given, { cwd: root, maxBuffer: 64 * 1024 * 1024, timeout: WHEEL_MS });
  await writeFile(file, stdout);
}
