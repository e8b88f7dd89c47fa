import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { findFreePort, type PrivateRedis, startPrivateRedis } from "./redis-server.ts";

/** A Redis, and what may happen to it. */
export type Fault = {
  readonly url: string;
  strike(): Promise<void>;
  stop(): Promise<void>;
};

export const STREAM = "fail-safe:events";

const FAULTS: Readonly<Record<string, () => Promise<Fault>>> = {
  absent: () => Promise.resolve(unreachable("redis://redis.invalid:6379")),
  refused: async () => unreachable(`redis://127.0.0.1:${await findFreePort()}`),
  hung: () => withServer((_client, server) => Promise.resolve(server.signal("SIGSTOP"))),
  slow: slowRedis,
  "out of memory": () => withServer((client) => client.config("SET", "maxmemory", "1")),
  "wrong type": () => withServer((client) => client.set(STREAM, "not a stream")),
  "read only": () => withServer((client) => client.replicaof("127.0.0.1", 1)),
  flushed: () => withServer((client) => client.flushall()),
  restarted: restartedRedis,
  "wrong password": () =>
    withServer(async (client) => {
      await client.config("SET", "requirepass", "another");
      await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    }),
};

export const FAULT_NAMES: readonly string[] = Object.keys(FAULTS);

export function createFault(name: string): Promise<Fault> {
  const create = FAULTS[name];
  if (create === undefined) {
    throw new Error(`no fault is called ${name}`);
  }
  return create();
}

function unreachable(url: string): Fault {
  const nothing = () => Promise.resolve();
  return { url, strike: nothing, stop: nothing };
}

async function withServer(strike: (client: Redis, server: PrivateRedis) => Promise<unknown>): Promise<Fault> {
  const server = await startPrivateRedis(["--maxmemory-policy", "noeviction"]);
  // Opened beforehand, so that it is let in when others are not.
  const client = new Redis(server.url, { protocol: 2, retryStrategy: () => 20, enableReadyCheck: false });
  client.on("error", () => undefined);
  return {
    url: server.url,
    strike: async () => void (await strike(client, server)),
    stop: async () => {
      client.disconnect();
      await server.stop();
    },
  };
}

/** It comes back while the application goes on. */
async function restartedRedis(): Promise<Fault> {
  let back = Promise.resolve();
  const fault = await withServer((_client, server) => {
    server.signal("SIGKILL");
    back = server.restart();
    return Promise.resolve();
  });
  return { ...fault, stop: () => back.then(() => fault.stop()) };
}

/** Each piece of an answer is held back for a fifth of a second. */
async function slowRedis(): Promise<Fault> {
  const server = await startPrivateRedis();
  let isSlow = false;
  const sockets = new Set<Socket>();
  const proxy: Server = createServer((near) => {
    const far = connect(server.port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        near.destroy();
        far.destroy();
        sockets.delete(socket);
      });
    }
    near.on("data", (chunk) => far.write(chunk));
    far.on("data", (chunk: Buffer) => void (isSlow ? pause(200) : Promise.resolve()).then(() => near.writable && near.write(chunk)));
  });
  const port = await findFreePort();
  await new Promise<void>((resolve) => {
    proxy.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    strike: () => Promise.resolve(void (isSlow = true)),
    stop: async () => {
      proxy.close();
      sockets.forEach((socket) => socket.destroy());
      await server.stop();
    },
  };
}
