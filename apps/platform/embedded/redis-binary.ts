import { execFile, spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const NAMES = ["redis-server", "valkey-server"];
const USUAL_FOLDERS = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
const INSTALL_MS = 120_000;

export const REDIS_HINT =
  "Embedded Redis needs redis-server: `apt-get install redis-server` (Debian, Ubuntu), `brew install redis` (macOS), or `docker run -d -p 6379:6379 redis:8` with OBSERVABILITY_REDIS_URL=redis://127.0.0.1:6379.";

/** Finds the absolute path of this machine's redis-server or valkey-server. */
export async function findRedisServer(): Promise<string | undefined> {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...USUAL_FOLDERS].filter((folder) => folder !== "");
  for (const name of NAMES) {
    for (const folder of folders) {
      const path = join(folder, name);
      if (await isExecutable(path)) {
        return path;
      }
    }
  }
  return undefined;
}

export async function redisServerVersion(path: string): Promise<string> {
  const { stdout } = await run(path, ["--version"], { timeout: 5_000 });
  return /v=([\d.]+)/.exec(stdout)?.[1] ?? "unknown";
}

type Provision = {
  readonly mayInstall: boolean;
  readonly say: (line: string) => void;
  /** Asks the person at the terminal; without one, root is told and not asked. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined;
  /** For tests, on machines that have one. */
  readonly find?: typeof findRedisServer;
  readonly install?: () => Promise<boolean>;
};

/**
 * Makes sure that there is a redis-server: installs it where that is allowed and possible, and nobody says no.
 *
 * @throws {Error} with the command for the system, when there is none and it is not installed.
 */
export async function provideRedisServer({ mayInstall, say, ask, find = findRedisServer, install }: Provision): Promise<string> {
  const found = await find();
  if (found !== undefined) {
    return found;
  }
  if (!mayInstall) {
    throw new Error(`There is no redis-server, and SIGHTLINE_INSTALL=false lets none be installed. ${REDIS_HINT}`);
  }
  const installNow = install ?? (await findInstaller());
  if (installNow !== undefined && ((await ask?.("There is no redis-server. Install it with apt-get install -y redis-server?")) ?? true)) {
    say("There is no redis-server; installing it with apt-get install -y redis-server (SIGHTLINE_INSTALL=false prevents that).");
    const installed = (await installNow()) ? await find() : undefined;
    if (installed !== undefined) {
      return installed;
    }
  }
  throw new Error(REDIS_HINT);
}

async function findInstaller(): Promise<(() => Promise<boolean>) | undefined> {
  return process.getuid?.() === 0 && (await isExecutable("/usr/bin/apt-get")) ? aptInstall : undefined;
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Installs directly first; a machine whose package lists are empty needs an update before. */
async function aptInstall(): Promise<boolean> {
  const install = ["install", "-y", "--no-install-recommends", "redis-server"];
  return (await apt(install)) || ((await apt(["update"])) && (await apt(install)));
}

async function apt(words: readonly string[]): Promise<boolean> {
  const environment = {
    ...process.env,
    DEBIAN_FRONTEND: "noninteractive",
    // The package starts a server of its own on 6379 otherwise.
    RUNLEVEL: "1",
  };
  const child = spawn("apt-get", ["-q", ...words], { stdio: "ignore", env: environment, timeout: INSTALL_MS });
  const [code] = await once(child, "exit");
  return code === 0;
}
