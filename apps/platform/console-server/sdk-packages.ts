import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { z } from "zod";
import { version } from "#settings/version.ts";

/** The folders of the sources of both SDKs and of the command line. */
export type SdkSources = { readonly typescript: string; readonly python: string; readonly cli: string };

/** The packages that `npm install` and `pip install` take (the latter a source distribution), and the one that `npx` runs. The names have no version, so that commands stay as they are. */
export const SDK_FILES = { npm: "sightline-sdk.tgz", pip: "sightline-sdk.tar.gz", cli: "sightline-cli.tgz" };

const BUILD_MS = 120_000;

const projectSchema = z.object({
  project: z.object({
    name: z.string(),
    version: z.string(),
    description: z.string(),
    license: z.string(),
    "requires-python": z.string(),
    dependencies: z.array(z.string()),
    keywords: z.array(z.string()),
    classifiers: z.array(z.string()),
    "optional-dependencies": z.record(z.string(), z.array(z.string())),
  }),
});

/** The workspace of the SDK, found as the package it is, the one for Python beside it, and the commands of this one. */
export function sdkSources(): SdkSources {
  const typescript = dirname(dirname(createRequire(import.meta.url).resolve("@sightline/sdk")));
  return { typescript, python: join(dirname(typescript), "sdk-python"), cli: join(import.meta.dirname, "..", "cli") };
}

/** Packs both SDKs and the command line as they are published into a folder, which is made. Needs no Python. */
export async function packSdks({ typescript, python, cli }: SdkSources, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await Promise.all([
    packForNpm(typescript, join(folder, SDK_FILES.npm)),
    packForPip(python, join(folder, SDK_FILES.pip)),
    packCli(cli, join(folder, SDK_FILES.cli)),
  ]);
}

/** The part of the command line that shells and CI run, with all that it imports: whoever installs it needs no other package. */
async function packCli(sources: string, file: string): Promise<void> {
  await withFolder(async (place) => {
    const vite = createRequire(createRequire(import.meta.url).resolve("@sightline/console/package.json")).resolve("vite/package.json");
    const rolldown = join(dirname(createRequire(vite).resolve("rolldown/package.json")), "bin", "cli.mjs");
    const given = [join(sources, "ci.ts"), "--platform", "node", "--format", "esm", "--dir", place];
    await promisify(execFile)(process.execPath, [rolldown, ...given], { timeout: BUILD_MS });
    const manifest = {
      name: "@sightline/cli",
      version,
      description: "Searches code by Sightline, uploads SCIP indexes and gates experiments.",
      license: "Apache-2.0",
      type: "module",
      bin: { sightline: "./ci.js" },
      engines: { node: ">=20" },
    };
    await writeFile(join(place, "package.json"), JSON.stringify(manifest));
    await copyFile(join(sources, "..", "..", "..", "LICENSE"), join(place, "LICENSE"));
    await pack(place, "package", file);
  });
}

async function packForNpm(sources: string, file: string): Promise<void> {
  await withFolder(async (place) => {
    const tools = join(dirname(dirname(createRequire(join(sources, "package.json")).resolve("typescript/package.json"))), ".bin");
    await promisify(execFile)(process.execPath, [join(sources, "tools", "build.ts"), place], {
      env: { ...process.env, PATH: `${tools}${delimiter}${process.env["PATH"] ?? ""}` },
      timeout: BUILD_MS,
    });
    await pack(place, "package", file);
  });
}

/** A source distribution as PEP 625 names it and PEP 517 builds it: the sources, and what the package says of itself. */
async function packForPip(sources: string, file: string): Promise<void> {
  const { project } = projectSchema.parse(getStaticTOMLValue(parseTOML(await readFile(join(sources, "pyproject.toml"), "utf8"))));
  await withFolder(async (place) => {
    const isSource = (path: string) => !/__pycache__|\.pyc$/.test(path);
    await cp(join(sources, "src"), join(place, "src"), { recursive: true, filter: isSource });
    for (const name of ["pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE"]) {
      await copyFile(join(sources, name), join(place, name));
    }
    await writeFile(join(place, "PKG-INFO"), metadataOf(project, await readFile(join(place, "README.md"), "utf8")));
    await pack(place, `${project.name.replaceAll("-", "_")}-${project.version}`, file);
  });
}

/** Core metadata (PEP 566), which registries read from the source distribution and pip trusts. */
function metadataOf(project: z.infer<typeof projectSchema>["project"], readme: string): string {
  const extras = Object.entries(project["optional-dependencies"]);
  const fields = [
    "Metadata-Version: 2.4",
    `Name: ${project.name}`,
    `Version: ${project.version}`,
    `Summary: ${project.description}`,
    `License-Expression: ${project.license}`,
    "License-File: LICENSE",
    `Keywords: ${project.keywords.join(",")}`,
    ...project.classifiers.map((classifier) => `Classifier: ${classifier}`),
    `Requires-Python: ${project["requires-python"]}`,
    ...project.dependencies.map((needed) => `Requires-Dist: ${needed}`),
    ...extras.flatMap(([extra, needed]) => [
      `Provides-Extra: ${extra}`,
      ...needed.map((one) => `Requires-Dist: ${one}; extra == '${extra}'`),
    ]),
    "Description-Content-Type: text/markdown",
  ];
  return `${fields.join("\n")}\n\n${readme}`;
}

/** Packs a folder's files below `prefix`. The packer is there wherever something is built, and missing where it was built already. */
async function pack(folder: string, prefix: string, file: string): Promise<void> {
  const { create } = await import("tar");
  await create({ gzip: true, portable: true, cwd: folder, prefix, file }, ["."]);
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sightline-sdk-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
