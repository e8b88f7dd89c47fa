import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { readConfig } from "@sightline/foundation/config";
import { LATE, within } from "@sightline/foundation/deadline";
import { createLog } from "@sightline/foundation/log";
import { createRedis } from "@sightline/foundation/redis";
import { platformVariables } from "#config.ts";
import { reportReady, stopWithSupervisor } from "#supervisor/child-channel.ts";
import { findRedisServer } from "./redis-binary.ts";
import { endLeftoverRedis, redisFolder, rememberRedis } from "./redis-leftover.ts";

/**
 * This is the process around the embedded redis-server: it ends the server when the supervisor is gone, which the
 * server itself would not notice. The server listens on loopback alone, so it has no password.
 */
const config = readConfig(platformVariables, process.env);
const log = createLog({ name: "redis", level: "info" });

const folder = await redisFolder(config.SIGHTLINE_HOME);
await endLeftoverRedis(config.SIGHTLINE_HOME);

const binary = await findRedisServer();
if (binary === undefined) {
  throw new Error("There is no redis-server or valkey-server on this machine; `sightline doctor` says how to get one.");
}

const settings: Readonly<Record<string, string>> = {
  bind: "127.0.0.1",
  port: String(config.SIGHTLINE_REDIS_PORT),
  "protected-mode": "yes",
  dir: folder,
  // Every write is handed to the system before it is acknowledged, so killing the process loses nothing;
  // the disk is synchronised each second, so a power cut loses about one second.
  appendonly: "yes",
  appendfsync: "everysec",
  // How often a second it looks after itself, which is most of what a quiet one does: ends of waiting and of keys are so much later.
  hz: "2",
  save: "",
  "maxmemory-policy": "noeviction",
  daemonize: "no",
};
// A process group of its own: a terminal's Ctrl-C must not end the server before those who still write to it.
const server = spawn(
  binary,
  Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
  {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  },
);
const ended = new Promise<string>((resolve) => {
  server.once("error", (error) => resolve(error.message));
  server.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
});
/** What redis-server has to write down what it holds; less than this process has, which would leave it behind. */
const SERVER_MS = 7_000;

let stopping = false;
stopWithSupervisor(
  async () => {
    stopping = true;
    server.kill("SIGTERM");
    if ((await within(() => ended, SERVER_MS)) === LATE) {
      server.kill("SIGKILL");
      await ended;
    }
  },
  { outlivesOthers: true },
);
void ended.then((reason) => {
  if (!stopping) {
    log.error({ reason }, "redis-server ended and starts again");
    process.exit(1);
  }
});
if (server.pid !== undefined) {
  await rememberRedis(config.SIGHTLINE_HOME, server.pid);
}

const WARNINGS = /# |WARNING|Error|error/;
createInterface(server.stdout).on("line", (line) => {
  if (WARNINGS.test(line)) {
    log.debug({ line }, "redis-server");
  }
});
createInterface(server.stderr).on("line", (line) => log.warn({ line }, "redis-server"));

// The connection tries again until the server listens; an "error" before that means nothing.
const connection = createRedis({
  url: `redis://127.0.0.1:${config.SIGHTLINE_REDIS_PORT}`,
  name: "sightline-redis-parent",
  log: createLog({ name: "redis", level: "silent" }),
});
// `once` of node:events would throw at the first "error", and a server that has just been started refuses a few times.
const ready = new Promise((resolve) => connection.client.once("ready", resolve));
await connection.client.connect().catch(() => undefined);
await ready;
await connection.close();
reportReady();
