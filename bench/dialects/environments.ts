import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repository } from "#scripts.ts";

const run = promisify(execFile);
const PYTHON = "bench/dialects/senders";
const NODE = `${PYTHON}/js`;

/** A program and its first argument, the script, which sends as one dialect. */
export type Sender = readonly [program: string, script: string];

/** Makes the environment of a sender, once for each list of packages; a Python one by tools/python-environment.sh. */
export async function makeSender(dialect: string, isNode: boolean): Promise<Sender> {
  if (isNode) {
    return [process.execPath, join(await makeNodeEnvironment(`${NODE}/${dialect}.txt`), `from-${dialect}.mjs`)];
  }
  const { stdout } = await run("tools/python-environment.sh", [`${PYTHON}/${dialect}.txt`], { cwd: repository });
  return [stdout.trim(), `${PYTHON}/from-${dialect}.py`];
}

/** Node finds packages beside the script alone, so the scripts are copied there. */
async function makeNodeEnvironment(list: string): Promise<string> {
  const packages = await readFile(join(repository, list), "utf8");
  const digest = createHash("sha256").update(packages).digest("hex").slice(0, 16);
  const environment = join(process.env["SIGHTLINE_TEST_CACHE"] ?? join(homedir(), ".cache/sightline"), `node-${digest}`);
  const making = `${environment}.${process.pid}`;
  const isThere = await readFile(join(environment, "package.json")).catch(() => undefined);
  if (isThere === undefined) {
    await mkdir(making, { recursive: true });
    await writeFile(join(making, "package.json"), JSON.stringify({ private: true, type: "module" }));
    await run("npm", ["install", "--no-audit", "--no-fund", ...packages.trim().split("\n")], { cwd: making });
    await rm(environment, { recursive: true, force: true });
    await rename(making, environment);
  }
  await cp(join(repository, NODE), environment, { recursive: true });
  return environment;
}
