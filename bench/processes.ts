import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const START_MS = 300_000;

/** @throws {Error} when the server has ended, or does not answer in five minutes. */
export async function waitUntilHealthy(url: string, child: ChildProcess, path = "/health"): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (!(await isHealthy(`${url}${path}`))) {
    if (Date.now() > deadline || child.exitCode !== null) {
      child.kill();
      throw new Error(`the server at ${url} did not start (${child.exitCode ?? "too slow"})`);
    }
    await delay(200);
  }
}

async function isHealthy(url: string): Promise<boolean> {
  const answer = await fetch(url).catch(() => undefined);
  return answer?.status === 200;
}

/** The same server's address with another database. */
export function withDatabase(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.toString();
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
