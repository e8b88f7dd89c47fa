import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { debianIn, thisMachine, type Installation } from "./installation.ts";
import { findProgram } from "./programs.ts";

/** A server program, and the installation it belongs to. */
export type FoundServer = {
  readonly installation: Installation;
  /** Of PostgreSQL the folder of its programs, of Redis the server itself; as the installation sees it. */
  readonly program: string;
};

/** The oldest PostgreSQL that the product supports. */
const POSTGRES_MAJOR = 15;

const USUAL_FOLDERS = ["/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

const EXTENSIONS = ["vector", "pg_trgm"];

/** A PostgreSQL with the extensions the product needs: the machine's own, else the one that `tools/test-services.sh` made. */
export async function findPostgres(): Promise<FoundServer | undefined> {
  for (const folder of postgresFolders("/")) {
    if (await hasExtensions(folder)) {
      return { installation: await thisMachine(), program: folder };
    }
  }
  const debian = cachedDebian();
  const [program] = debian === undefined ? [] : postgresFolders(debian);
  return debian === undefined || program === undefined
    ? undefined
    : { installation: await debianIn(debian), program: program.slice(debian.length) };
}

/** A Redis (or Valkey): what `TEST_REDIS_SERVER` names, else the newer one that `tools/test-services.sh` made, else the machine's own. */
export async function findRedis(): Promise<FoundServer | undefined> {
  const named = process.env["TEST_REDIS_SERVER"];
  if (named !== undefined) {
    return { installation: await thisMachine(), program: named };
  }
  const debian = cachedDebian();
  if (debian !== undefined) {
    return { installation: await debianIn(debian), program: "/usr/bin/redis-server" };
  }
  const program = findProgram("redis-server", USUAL_FOLDERS) ?? findProgram("valkey-server", USUAL_FOLDERS);
  return program === undefined ? undefined : { installation: await thisMachine(), program };
}

/** Installs the system's Redis where that is possible without asking: on Debian and its children, as root. */
export function installRedis(): void {
  if (process.getuid?.() !== 0 || findProgram("apt-get") === undefined) {
    return;
  }
  console.log("Installing redis-server with apt-get, to test against…");
  // In run level 1 the package's scripts do not start a server of their own.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  try {
    execFileSync("apt-get", ["update", "-qq"], { env, stdio: "ignore", timeout: 120_000 });
    execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "redis-server"], {
      env,
      stdio: "ignore",
      timeout: 300_000,
    });
  } catch {
    // Offline or not allowed: the caller looks again and says what is missing.
  }
}

/** The cached Debian of `tools/test-services.sh`, if it was made and this user may enter it. */
function cachedDebian(): string | undefined {
  const root = join(servicesFolder(), "debian-trixie");
  return existsSync(join(root, "usr/bin/redis-server")) ? root : undefined;
}

/** Where the scripts of `tools/` put what they make. */
export function servicesFolder(): string {
  const { SIGHTLINE_TEST_CACHE: cache } = process.env;
  return cache === undefined || cache === "" ? join(homedir(), ".cache/sightline") : cache;
}

/** The folders of PostgreSQL's programs under `root`, newest version first. */
function postgresFolders(root: string): readonly string[] {
  const parents = ["usr/lib/postgresql", "opt/homebrew/opt", "usr/local/opt"].map((parent) => join(root, parent)).filter(existsSync);
  const versions = parents.flatMap((parent) =>
    readdirSync(parent).flatMap((name) => {
      const version = /^(?:postgresql@)?(\d+)$/.exec(name)?.[1];
      return version === undefined ? [] : [{ version: Number(version), folder: join(parent, name, "bin") }];
    }),
  );
  return versions
    .filter(({ version, folder }) => version >= POSTGRES_MAJOR && existsSync(join(folder, "initdb")))
    .toSorted((a, b) => b.version - a.version)
    .map(({ folder }) => folder);
}

async function hasExtensions(folder: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(join(folder, "pg_config"), ["--sharedir"], { timeout: 10_000 });
    return EXTENSIONS.every((extension) => existsSync(join(stdout.trim(), "extension", `${extension}.control`)));
  } catch {
    return false;
  }
}
