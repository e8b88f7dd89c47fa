import { execFile } from "node:child_process";
import { chown, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";

/** Where server programs are installed, and how they are run there without privileges, which PostgreSQL insists on. */
export type Installation = {
  readonly name: string;
  /** The command that runs `command` there. */
  readonly command: (command: readonly string[]) => Command;
  /** Makes an empty folder that the server may write to. */
  readonly makeFolder: () => Promise<ServerFolder>;
};

export type Command = {
  readonly file: string;
  readonly args: readonly string[];
  readonly identity: Identity | undefined;
};

/** One folder by its two names. */
export type ServerFolder = {
  readonly path: string;
  /** What the server calls it. */
  readonly inside: string;
};

type Identity = { readonly uid: number; readonly gid: number };

const FOLDER_PREFIX = "sightline-test-";

/** The machine itself; as root the programs run as the user `postgres` or `nobody`. */
export async function thisMachine(): Promise<Installation> {
  const identity = isRoot() ? await readUser("/etc/passwd", ["postgres", "nobody"]) : undefined;
  return {
    name: "this machine",
    command: ([file = "", ...args]) => ({ file, args, identity }),
    makeFolder: async () => {
      const path = await mkdtemp(join(tmpdir(), FOLDER_PREFIX));
      if (identity !== undefined) {
        await chown(path, identity.uid, identity.gid);
      }
      return { path, inside: path };
    },
  };
}

/** A Debian in a folder (see `tools/test-services.sh`): entered by `chroot`, which needs root, or else by a user namespace. */
export async function debianIn(root: string): Promise<Installation> {
  const { uid, gid } = await readUser(join(root, "etc/passwd"), ["postgres"]);
  const enter = isRoot()
    ? { file: "chroot", args: [`--userspec=${uid}:${gid}`, root] }
    : { file: "unshare", args: ["--user", `--map-user=${uid}`, `--map-group=${gid}`, `--root=${root}`, "--wd=/", "--"] };
  return {
    name: root,
    command: (command) => ({ file: enter.file, args: [...enter.args, ...command], identity: undefined }),
    makeFolder: async () => {
      const path = await mkdtemp(join(root, "tmp", FOLDER_PREFIX));
      if (isRoot()) {
        await chown(path, uid, gid);
      }
      return { path, inside: `/tmp/${basename(path)}` };
    },
  };
}

/** Runs a program of the installation to its end. */
export async function runIn(installation: Installation, command: readonly string[]): Promise<void> {
  const { file, args, identity } = installation.command(command);
  await promisify(execFile)(file, args, { cwd: "/", timeout: 60_000, ...identity });
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function readUser(passwd: string, names: readonly string[]): Promise<Identity> {
  const users = (await readFile(passwd, "utf8")).split("\n").map((line) => line.split(":"));
  for (const name of names) {
    const user = users.find(([candidate]) => candidate === name);
    if (user !== undefined) {
      return { uid: Number(user[2]), gid: Number(user[3]) };
    }
  }
  throw new Error(`${passwd} has none of the users ${names.join(", ")}, and a database server does not run as root.`);
}
