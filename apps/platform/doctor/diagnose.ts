import { findFolderHolder } from "@sightline/foundation/files/folder-lock";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { listConfigProblems } from "@sightline/foundation/config";
import { errorMessage } from "@sightline/foundation/errors";
import { makeFolder } from "@sightline/foundation/files/make-folder";
import { demandValidConfig, neededPorts } from "./check-setting.ts";
import { diagnoseRedis } from "./diagnose-redis.ts";
import { failure, diagnoseDatabase, ok, warning, type Finding } from "./diagnose-stores.ts";
import { outsideAnchorFile } from "@sightline/identity";
import { findRedisServer, REDIS_HINT, redisServerVersion } from "#embedded/redis-binary.ts";
import type { Environment, Setting } from "#settings/environment.ts";
import { findPortProblems } from "#settings/ports.ts";
import { roleNames } from "#settings/role-names.ts";
import { secretNames } from "#settings/secrets.ts";

const run = promisify(execFile);

const MIN_NODE_VERSION: readonly [number, number] = [22, 18];

/** Checks everything that a start needs, in the environment as it was given. */
export async function diagnose(setting: Setting, given: Environment): Promise<readonly Finding[]> {
  const findings = await Promise.all([
    diagnoseNode(),
    diagnoseGit(),
    diagnoseHome(setting),
    diagnoseSignedEnd(setting),
    diagnoseSecrets(setting),
    diagnoseConfig(given),
    setting.embeddedRedis ? diagnoseRedisServer() : diagnoseRedis(setting),
    setting.embeddedPostgres ? diagnoseEmbeddedPostgres(setting) : diagnoseDatabase(setting, given),
    diagnosePorts(setting),
  ]);
  return findings.flat();
}

async function diagnoseNode(): Promise<Finding> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNew = major > MIN_NODE_VERSION[0] || (major === MIN_NODE_VERSION[0] && minor >= MIN_NODE_VERSION[1]);
  const found = process.versions.node;
  return isNew
    ? ok("Node.js", found)
    : failure("Node.js", found, "Install Node.js 22.18 or newer, or start with `npm start`, which brings its own.");
}

async function diagnoseGit(): Promise<Finding> {
  try {
    const { stdout } = await run("git", ["--version"], { timeout: 5_000 });
    return ok("git", stdout.trim().replace("git version ", ""));
  } catch {
    return failure("git", "missing", "The indexer needs git: apt-get install git, or brew install git.");
  }
}

async function diagnoseHome({ platform }: Setting): Promise<Finding> {
  const home = platform.SIGHTLINE_HOME;
  try {
    await makeFolder(home, { mode: 0o700 });
    await access(home, constants.W_OK);
    return ok("data folder", home);
  } catch (error) {
    return failure(
      "data folder",
      errorMessage(error),
      "Give this user the right to write there, or choose another folder with SIGHTLINE_HOME.",
    );
  }
}

/** A folder that can't be written to, or is made anew with each container, keeps nothing of the audit. */
async function diagnoseSignedEnd({ platform }: Setting): Promise<Finding> {
  const file = outsideAnchorFile(platform.SIGHTLINE_HOME);
  const written = await stat(file).catch(() => undefined);
  return written === undefined
    ? warning(
        "audit",
        `no signed end of it is kept on this host yet (${file})`,
        "Where identity runs, it is after a start; if not, give SIGHTLINE_HOME a folder that stays, or set AUDIT_ANCHOR_FILE or AUDIT_ANCHOR_URL.",
      )
    : ok("audit", `its signed end of ${written.mtime.toISOString()} is kept in ${file}`);
}

async function diagnoseSecrets({ platform, embeddedPostgres, environment }: Setting): Promise<Finding> {
  const what = "secrets";
  if (!embeddedPostgres) {
    const missing = secretNames.filter((name) => !environment[name]);
    if (missing.join() === "CODEINDEX_ENCRYPTION_KEYS") {
      const fix = "Set it to store credentials of private repositories; .env.example says how it is made.";
      return warning(what, "all set in the environment but CODEINDEX_ENCRYPTION_KEYS", fix);
    }
    return missing.length === 0
      ? ok(what, "all set in the environment")
      : failure(what, `missing: ${missing.join(", ")}`, "Set them in the environment or in .env; .env.example says how each is made.");
  }
  const file = join(platform.SIGHTLINE_HOME, "secrets.env");
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) {
    return ok(what, `made at the first start, in ${file}`);
  }
  const mode = found.mode & 0o777;
  return mode === 0o600
    ? ok(what, `${file} (only its owner reads it)`)
    : warning(what, `${file} is readable by others (mode ${mode.toString(8)})`, "The next start sets it to 600.");
}

async function diagnoseConfig(given: Environment): Promise<readonly Finding[]> {
  const problems = listConfigProblems(() => demandValidConfig(roleNames, given));
  return problems.length === 0 ? [ok("variables", "all valid")] : problems.map((found) => ({ state: "error", what: "variables", found }));
}

async function diagnoseRedisServer(): Promise<Finding> {
  const path = await findRedisServer();
  return path === undefined
    ? failure("redis-server", "missing", REDIS_HINT)
    : ok("redis-server", `${await redisServerVersion(path)} (${path}), embedded`);
}

async function diagnoseEmbeddedPostgres({ platform }: Setting): Promise<Finding> {
  const folder = join(platform.SIGHTLINE_HOME, "postgres");
  return ok(
    "PostgreSQL",
    existsSync(folder)
      ? `embedded, in ${folder}; whether this version reads it is checked at the start`
      : `embedded, to be made in ${folder}`,
  );
}

async function diagnosePorts(setting: Setting): Promise<readonly Finding[]> {
  const home = setting.platform.SIGHTLINE_HOME;
  // Problems of the folder itself are another finding.
  const holder = setting.embeddedPostgres || setting.embeddedRedis ? await findFolderHolder(home).catch(() => undefined) : undefined;
  if (holder !== undefined) {
    return [ok("ports", `in use by the Sightline that runs in ${home} (process ${holder})`)];
  }
  const needed = neededPorts(roleNames, setting);
  const problems = await findPortProblems(needed);
  // 0 stands for any free port.
  const listed = needed.flatMap(({ port }) => (port === 0 ? [] : [port]));
  return problems.length === 0
    ? [ok("ports", `${listed.join(", ")} are free`)]
    : problems.map((problem) => failure("ports", problem, "Or Sightline runs already: then all is well."));
}
