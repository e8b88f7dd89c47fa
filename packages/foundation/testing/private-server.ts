import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Command, ServerFolder } from "./installation.ts";

/** A server that belongs to this test run alone. */
export type PrivateServer = {
  readonly url: string;
  /** Stops it and removes its data. It ends by itself when this process does. */
  readonly stop: () => Promise<void>;
};

type PrivateServerOptions = {
  readonly name: string;
  readonly url: string;
  readonly command: Command;
  readonly folder: ServerFolder;
  /** Throws until the server answers. */
  readonly ping: () => Promise<void>;
};

/** PGlite compiles all of PostgreSQL first, which takes long where every core is busy. */
const START_MS = 120_000;
const PAUSE_MS = 25;

/** The script that ends a server when the process that started it ends. */
export const RUN_WHILE_OPEN: string = fileURLToPath(new URL("run-while-open.sh", import.meta.url));

/** @throws {Error} with the server's last words when it ends, or does not answer within two minutes. */
export async function startPrivateServer({ name, url, command, folder, ping }: PrivateServerOptions): Promise<PrivateServer> {
  const child = spawn("sh", [RUN_WHILE_OPEN, folder.path, command.file, ...command.args], {
    cwd: "/",
    // A group of its own: Ctrl-C is for the tests, which then stop their servers.
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
    ...command.identity,
  });
  const lastWords = text(child.stdout);
  const stop = async () => {
    child.stdin.end();
    await ended(child);
  };
  const deadline = Date.now() + START_MS;
  while (!(await answers(ping))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`${name} did not start: ${(await lastWords).trim() || `no answer within ${START_MS / 1000} s`}`);
    }
    await delay(PAUSE_MS);
  }
  return { url, stop };
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") {
    throw new Error("A TCP server has no port.");
  }
  return address.port;
}

async function answers(ping: () => Promise<void>): Promise<boolean> {
  return ping().then(
    () => true,
    () => false,
  );
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    await once(child, "exit");
  }
}
