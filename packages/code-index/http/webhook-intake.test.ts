import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { createLog } from "@sightline/foundation/log";
import { systemClock } from "@sightline/foundation/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fromGithub, useWebhookServer } from "#testing/use-webhook-server.ts";
import { createWebhookServer, type WebhookServer } from "#testing/webhook-server.ts";

const { database, post } = useWebhookServer();

const MIB = 1024 * 1024;
const BODY_MS = 1_000;
const OTHER = "203.0.113.9";

let lines: { level: string; msg: string }[];
let server: WebhookServer;
let address: URL;
let sockets: Socket[];

beforeEach(async () => {
  lines = [];
  sockets = [];
  const log = createLog({ name: "test", level: "info", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  server = await createWebhookServer(database(), { clock: systemClock, log, limits: { bytesAtOnce: 16 * MIB, bodyMs: BODY_MS } });
  address = new URL(await server.listen({ port: 0, host: "127.0.0.1" }));
});

afterEach(async () => {
  sockets.forEach((socket) => socket.destroy());
  await server.close();
});

/** A delivery that declares so many bytes and sends fewer. */
async function stall({ declared, sent }: { readonly declared: number; readonly sent: number }): Promise<Socket> {
  const socket = connect(Number(address.port), address.hostname);
  sockets.push(socket);
  await once(socket, "connect");
  const headers = { host: "localhost", "content-type": "application/json", "content-length": declared, ...fromGithub("") };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /api/v1/ingest/webhook HTTP/1.1\r\n${head.join("")}\r\n`);
  socket.write(Buffer.alloc(sent, " "));
  return socket;
}

async function answerOn(socket: Socket): Promise<string> {
  let answer = "";
  socket.on("data", (data) => (answer += String(data)));
  await once(socket, "close");
  return answer;
}

const ping = (bytes: number) => {
  const body = `{"zen":"${"x".repeat(bytes)}"}`;
  return [body, fromGithub(body, { event: "ping" })] as const;
};

test("connections that declare large bodies and send a byte keep nobody out", async () => {
  for (let number = 0; number < 20; number++) {
    await stall({ declared: 25 * MIB, sent: 1 });
  }
  expect((await post(...ping(2 * MIB), server)).status).toBe(200);
});

test("one network holds no more than a quarter of what is received at once, and the others go on", async () => {
  await stall({ declared: 25 * MIB, sent: 3 * MIB });
  await expect.poll(async () => (await post(...ping(2 * MIB), server)).status).toBe(503);
  const answer = await server.inject({
    method: "POST",
    url: "/api/v1/ingest/webhook",
    headers: { "content-type": "application/json", ...ping(2 * MIB)[1] },
    payload: ping(2 * MIB)[0],
    remoteAddress: OTHER,
  });
  expect(answer.statusCode).toBe(200);
  sockets.forEach((socket) => socket.destroy());
  await expect.poll(async () => (await post(...ping(2 * MIB), server)).status).toBe(200);
});

test("all networks together hold no more than is received at once, and hear when to come back", async () => {
  await server.close();
  server = await createWebhookServer(database(), { clock: systemClock, limits: { bytesAtOnce: 1 * MIB, shareOfClient: 1 } });
  const [payload, headers] = ping(2 * MIB);
  const answer = await server.inject({
    method: "POST",
    url: "/api/v1/ingest/webhook",
    headers: { "content-type": "application/json", ...headers },
    payload,
  });
  expect([answer.statusCode, answer.headers["retry-after"], answer.json()]).toEqual([
    503,
    "10",
    expect.objectContaining({ error: "busy" }),
  ]);
});

test("a body that is not there in time is 408, and what it held is free again", async () => {
  const answer = await answerOn(await stall({ declared: 4 * MIB, sent: 3 * MIB }));
  expect(answer).toContain("HTTP/1.1 408");
  expect(answer).toContain('"error":"request_timeout"');
  expect((await post(...ping(2 * MIB), server)).status).toBe(200);
});

test("a body without a declared length that grows over the limit is 413", async () => {
  const plenty = await createWebhookServer(database(), { clock: systemClock });
  const answer = await plenty.inject({
    method: "POST",
    url: "/api/v1/ingest/webhook",
    headers: { "content-type": "application/json", ...fromGithub("") },
    payload: Readable.from(Array.from({ length: 26 }, () => Buffer.alloc(MIB, " "))),
  });
  expect([answer.statusCode, answer.json()]).toEqual([413, expect.objectContaining({ error: "body_too_large" })]);
  await plenty.close();
});

test("what is refused is one warning a minute, not an error each", async () => {
  await stall({ declared: 25 * MIB, sent: 3 * MIB });
  await expect.poll(async () => (await post(...ping(2 * MIB), server)).status).toBe(503);
  await post(...ping(2 * MIB), server);
  await post(...ping(2 * MIB), server);
  expect(lines.filter(({ level }) => level !== "info")).toEqual([
    expect.objectContaining({ level: "warn", msg: "webhook deliveries are refused", reason: expect.stringContaining("at once") }),
  ]);
});
