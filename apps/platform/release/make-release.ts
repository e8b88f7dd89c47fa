import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Origin, packSdks, readPythonProject, SDK_FILES, sdkSources } from "#console-server/sdk-packages.ts";
import { type ComponentList, listOf, listOfPython } from "./component-list.ts";

export type Release = {
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
  /** The commands that publish it. */
  readonly publish: readonly string[];
  /** What could not be made here, and why. */
  readonly notes: readonly string[];
};

const WHEEL_MS = 120_000;
const NO_ORIGIN =
  "The packages do not say where they come from: name the repository with --repository https://…, which npm's provenance needs, too.";
const run = promisify(execFile);

/**
 * Makes both packages under the names that registries know, a wheel where there is a Python, SBOMs and checksums, in an emptied folder.
 * With the web address of the repository they say where they come from: the repository, and the commit that is checked out.
 */
export async function makeRelease(output: string, repository?: string): Promise<Release> {
  const folder = resolve(output);
  const { typescript, python } = sdkSources();
  const origin = repository === undefined ? undefined : await readOrigin(repository, typescript);
  const { version } = JSON.parse(await readFile(join(typescript, "package.json"), "utf8")) as { readonly version: string };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await packSdks({ typescript, python }, folder, origin);
  const [tarball, sdist] = [`sightline-sdk-${version}.tgz`, `sightline_sdk-${version}.tar.gz`];
  await rename(join(folder, SDK_FILES.npm), join(folder, tarball));
  await rename(join(folder, SDK_FILES.pip), join(folder, sdist));
  const notes = await makeWheel(join(folder, sdist), folder);
  const project = await readPythonProject(python);
  const [sdk, server] = await Promise.all([readComponents(["-w", "@sightline/sdk"]), readComponents([])]);
  await Promise.all([
    writeList(join(folder, `sightline-sdk-${version}.cdx.json`), listOf(sdk, "@sightline/sdk", version)),
    writeList(
      join(folder, `sightline_sdk-${project.version}.cdx.json`),
      listOfPython(sdk, project.name, project.version, project.dependencies),
    ),
    // npm names it after the folder it is checked out in.
    writeList(join(folder, "sightline-server.cdx.json"), {
      ...server,
      metadata: { ...server.metadata, component: { ...server.metadata.component, name: "sightline" } },
    }),
  ]);
  const names = (await readdir(folder)).toSorted();
  const files = await Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(folder, name));
      return { name, bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
    }),
  );
  await writeFile(join(folder, "SHA256SUMS"), files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(""));
  const uploads = names.filter((name) => /^sightline_sdk-.*(?:whl|gz)$/.test(name)).join(" ");
  const publish = [`npm publish ${tarball} --access public${origin === undefined ? "" : " --provenance"}`, `twine upload ${uploads}`];
  return { files, publish, notes: origin === undefined ? [...notes, NO_ORIGIN] : notes };
}

/** @throws {Error} when files differ from the commit, as the packages would say otherwise. */
async function readOrigin(repository: string, place: string): Promise<Origin> {
  const git = async (...given: string[]) => (await run("git", ["-C", place, ...given])).stdout.trim();
  if ((await git("status", "--porcelain", "--untracked-files=no")) !== "") {
    throw new Error("Files differ from the commit that the packages would name. Commit them first.");
  }
  return { repository: repository.replace(/(?:\.git)?\/*$/, ""), commit: await git("rev-parse", "HEAD") };
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

/** What is installed with it, as CycloneDX. */
async function readComponents(scope: readonly string[]): Promise<ComponentList> {
  const root = dirname(dirname(dirname(createRequire(import.meta.url).resolve("@sightline/console/package.json"))));
  const given = ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", ...scope];
  const { stdout } = await run("npm", given, { cwd: root, maxBuffer: 64 * 1024 * 1024, timeout: WHEEL_MS });
  return JSON.parse(stdout) as ComponentList;
}

async function writeList(file: string, list: ComponentList): Promise<void> {
  await writeFile(file, `${JSON.stringify(list, undefined, 2)}\n`);
}
