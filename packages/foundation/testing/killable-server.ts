import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findPostgres, findRedis, type FoundServer } from "./find-services.ts";
import type { Command } from "./installation.ts";
import { SERVE_PGLITE } from "./pglite.ts";
import { pingPostgres, preparePostgres } from "./private-postgres.ts";
import { freePort, RUN_WHILE_OPEN } from "./private-server.ts";
import { createRedis } from "#redis.ts";
import { silentLog } from "./silent-log.ts";

/** A server that keeps its data when it is killed. */
export type KillableServer = {
  readonly url: string;
  /** SIGKILL, to its last process. */
  readonly kill: () => Promise<void>;
  /** Starts it on the data it left, and waits until it answers. */
  readonly start: () => Promise<void>;
  /** Ends it and removes its data. */
  readonly remove: () => Promise<void>;
};

type KillableOptions = {
  readonly url: string;
  readonly command: Command;
  readonly folder: string;
  readonly ping: () => Promise<void>;
};

const START_MS = 120_000;
const PAUSE_MS = 50;

/** A Redis that has every write on its append-only file before it acknowledges it; `more` are further settings. */
export async function createKillableRedis(more: Readonly<Record<string, string>> = {}): Promise<KillableServer> {
  const found = await findRedis();
  if (found === undefined) {
    throw new Error("There is no redis-server here.");
  }
  const folder = await found.installation.makeFolder();
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const settings = {
    port: String(port),
    bind: "127.0.0.1",
    dir: folder.inside,
    save: "",
    appendonly: "yes",
    appendfsync: "always",
    "maxmemory-policy": "noeviction",
    ...more,
  };
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  return createKillableServer({
    url,
    command: found.installation.command([found.program, ...words]),
    folder: folder.path,
    ping: async () => {
      const { client, close } = createRedis({ url, name: "ping", log: silentLog });
      try {
        await client.connect();
        await client.ping();
      } finally {
        await close();
      }
    },
  });
}

/** A PostgreSQL, or where there is none the embedded one. Processes are killed, not machines, so nothing need be on the disk. */
export async function createKillablePostgres(kind: "postgres" | "pglite"): Promise<KillableServer> {
  const found = kind === "pglite" ? undefined : await findPostgres();
  if (found === undefined) {
    const port = await freePort();
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    const folder = await mkdtemp(join(tmpdir(), "sightline-test-"));
    const command = { file: process.execPath, args: [SERVE_PGLITE, String(port), join(folder, "data")], identity: undefined };
    return createKillableServer({ url, command, folder, ping: () => pingPostgres(url) });
  }
  return createKillablePostgresOf(found);
}

/** One of that installation; `more` are settings that hold before ours. */
export async function createKillablePostgresOf(found: FoundServer, more: Readonly<Record<string, string>> = {}): Promise<KillableServer> {
  const { url, folder, command } = await preparePostgres(found, {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    dynamic_shared_memory_type: "mmap",
    fsync: "off",
    ...more,
  });
  return createKillableServer({ url, command, folder: folder.path, ping: () => pingPostgres(url) });
}

function createKillableServer({ url, command, folder, ping }: KillableOptions): KillableServer {
  let child: ChildProcess | undefined;
  const outputs: string[] = [];

  const kill = async () => {
    const running = child;
    child = undefined;
    if (running?.pid !== undefined && running.exitCode === null && running.signalCode === null) {
      const exited = once(running, "exit");
      process.kill(-running.pid, "SIGKILL");
      await exited;
    }
  };

  return {
    url,
    kill,
    start: async () => {
      const deadline = Date.now() + START_MS;
      for (;;) {
        // One that was started too early after a kill ends again: the killed one's children still let go of its memory.
        if (child === undefined || child.exitCode !== null) {
          const output = await mkdtemp(join(tmpdir(), "sightline-test-output-"));
          outputs.push(output);
          if (command.identity !== undefined) {
            await chown(output, command.identity.uid, command.identity.gid);
          }
          child = spawn("sh", [RUN_WHILE_OPEN, output, command.file, ...command.args], {
            cwd: "/",
            detached: true,
            stdio: ["pipe", "ignore", "ignore"],
            ...command.identity,
          });
        }
        if (
          await ping().then(
            () => true,
            () => false,
          )
        ) {
          return;
        }
        if (Date.now() > deadline) {
          throw new Error(`The server at ${url} did not start.`);
        }
        await delay(PAUSE_MS);
      }
    },
    remove: async () => {
      await kill();
      await Promise.all([folder, ...outputs].map((path) => rm(path, { recursive: true, force: true, maxRetries: 5 })));
    },
  };
}
