import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "#processes.ts";

export type Sink = { readonly url: string; readonly stop: () => Promise<void> };

/** Takes every request, as the peers' servers would at best. */
export async function startHttpSink(): Promise<Sink> {
  const server = createServer((request, response) => {
    request.resume();
    const type = request.headers["content-type"] ?? "";
    request.on("end", () => response.setHeader("content-type", type).end(type.includes("json") ? "{}" : ""));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** A Redis of the benchmark's own, with its log written every second, as the product wants it. */
export async function startRedisSink(): Promise<Sink> {
  const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), "sightline-bench-redis-"))];
  const options = ["--port", String(port), "--dir", folder, "--save", "", "--appendonly", "yes", "--maxmemory-policy", "noeviction"];
  const child = spawn("redis-server", options, { stdio: "ignore" });
  while (!(await isOpen(port))) {
    await pause(50);
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves once a consumer that reads this Redis has said that it does. */
export async function whenConsumed(url: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  do {
    await pause(20);
    socket.write("EXISTS studio:consumer:heartbeat\r\n");
  } while (String((await once(socket, "data"))[0]) !== ":1\r\n");
  socket.destroy();
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("close", () => socket.destroy());
  });
}
