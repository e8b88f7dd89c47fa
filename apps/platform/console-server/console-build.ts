import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire, findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { replaceFolder } from "./replace-folder.ts";
import { packSdks, sdkSources, type SdkSources } from "./sdk-packages.ts";

export type ConsoleFolder = {
  /** The folder of the sources. */
  readonly sources: string;
  /** The folder of the built app. */
  readonly built: string;
};

/** The workspace of the console, found as the package it is. */
export function consoleFolder(): ConsoleFolder {
  const sources = dirname(createRequire(import.meta.url).resolve("@sightline/console/package.json"));
  return { sources, built: join(sources, "dist") };
}

const SKIPPED = new Set(["node_modules", "dist", "__pycache__"]);
const STAMP = "built-from";
const BUILD_MS = 180_000;

/** Builds the web app, with the packages that it serves, unless it is built from exactly these sources already. */
export async function ensureConsoleBuilt(folder: ConsoleFolder, say: (line: string) => void): Promise<void> {
  const sdks = sdkSources();
  const wanted = await fingerprint([folder.sources, sdks.typescript, sdks.python, sdks.cli]);
  const stamp = join(folder.built, STAMP);
  const isPackaged = wanted === undefined;
  if (isPackaged || (await readFile(stamp, "utf8").catch(() => "")) === wanted) {
    return;
  }
  say("Building the console …");
  const startedAt = Date.now();
  await build(folder, sdks, wanted);
  say(`Built the console in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);
}

/** Builds into another folder first, so that a build that fails or is interrupted leaves the old app whole. */
async function build({ sources, built }: ConsoleFolder, sdks: SdkSources, sourcesHash: string): Promise<void> {
  const vite = join(dirname(createRequire(join(sources, "package.json")).resolve("vite/package.json")), "bin", "vite.js");
  const fresh = `${built}-fresh-${process.pid}`;
  const child = spawn(process.execPath, [vite, "build", "--outDir", fresh, "--emptyOutDir", "--logLevel", "warn"], {
    cwd: sources,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: BUILD_MS,
  });
  const lines: string[] = [];
  child.stdout.on("data", (data: Buffer) => lines.push(data.toString()));
  child.stderr.on("data", (data: Buffer) => lines.push(data.toString()));
  const [code] = await once(child, "close");
  if (code !== 0) {
    await rm(fresh, { recursive: true, force: true });
    throw new Error(`The console could not be built:\n${lines.join("").trim()}`);
  }
  await packSdks(sdks, join(fresh, "sdk"));
  await writeFile(join(fresh, STAMP), sourcesHash);
  await replaceFolder(built, fresh);
}

/** Hashes every source file, and those of the packages that the app takes code from; undefined where only the built app is shipped. */
export async function fingerprint(folders: readonly [sources: string, ...string[]]): Promise<string | undefined> {
  const [sources] = folders;
  if (!existsSync(join(sources, "index.html"))) {
    return undefined;
  }
  const packages = await packagesOf(sources);
  const hash = createHash("sha256");
  for (const folder of [...folders, ...packages]) {
    const files = (await listFiles(folder)).filter((file) => !packages.has(folder) || isCode(file));
    for (const file of files.toSorted()) {
      hash.update(file.slice(folder.length)).update(await readFile(file));
    }
  }
  return hash.digest("hex");
}

/** The folders of this project's packages that a package depends on, and of those that they do. */
async function packagesOf(folder: string, known = new Set<string>()): Promise<ReadonlySet<string>> {
  const at = join(folder, "package.json");
  const { dependencies = {} } = JSON.parse(await readFile(at, "utf8")) as { readonly dependencies?: Readonly<Record<string, string>> };
  for (const name of Object.keys(dependencies).filter((dependency) => dependency.startsWith("@sightline/"))) {
    const needed = dirname(findPackageJSON(name, at) ?? at);
    if (needed !== folder && !known.has(needed)) {
      known.add(needed);
      await packagesOf(needed, known);
    }
  }
  return known;
}

function isCode(file: string): boolean {
  return file.endsWith(".ts") && !file.endsWith(".test.ts");
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const wanted = entries.filter(({ name }) => !SKIPPED.has(name) && !name.startsWith("dist-fresh-"));
  const files = wanted.filter((entry) => !entry.isDirectory()).map(({ name }) => join(folder, name));
  const nested = await Promise.all(wanted.filter((entry) => entry.isDirectory()).map(({ name }) => listFiles(join(folder, name))));
  return [...files, ...nested.flat()];
}
