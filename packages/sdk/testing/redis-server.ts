import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";

/** A redis-server of the test's own, to be hung, killed and filled. */
export type PrivateRedis = {
  readonly url: string;
  readonly port: number;
  signal(name: NodeJS.Signals): void;
  /** A second server on the same port, after the first was killed. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

export async function startPrivateRedis(options: readonly string[] = []): Promise<PrivateRedis> {
  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), "sightline-sdk-"));
  const url = `redis://127.0.0.1:${port}`;
  const start = async (): Promise<ChildProcess> => {
    const args = ["--port", String(port), "--dir", folder, "--save", "", "--appendonly", "yes", "--appendfsync", "always", ...options];
    const child = spawn("redis-server", args, { stdio: "ignore" });
    await waitUntilReady(url);
    return child;
  };
  let server = await start();
  return {
    url,
    port,
    signal: (name) => void server.kill(name),
    restart: async () => {
      await ended(server);
      server = await start();
    },
    stop: async () => {
      server.kill("SIGKILL");
      await ended(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function waitUntilReady(url: string): Promise<void> {
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on("error", () => undefined);
  // A server with a password answers too, with a refusal.
  await client.ping().catch(() => undefined);
  client.disconnect();
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
    } else {
      child.once("exit", () => resolve());
    }
  });
}
