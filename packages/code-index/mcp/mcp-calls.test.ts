import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startCodeIndex, type RunningCodeIndex } from "#testing/running-code-index.ts";

/** How calls end: cancelled, given up by a client that leaves, or refused because there were too many. */
let running: RunningCodeIndex;
let token: string;
let address: URL;

beforeAll(async () => {
  running = await startCodeIndex();
  await running.index("acme/shop", { "src/cart.ts": "export function addToCart(item: string) {\n  cart.push(item);\n}\n" });
  await running.stopIndexer();
  token = await running.createToken("one");
  await running.server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = running.server.server.address() as AddressInfo;
  address = new URL(`http://127.0.0.1:${port}/mcp`);
});

afterAll(async () => {
  running.server.server.closeAllConnections();
  await running.stop();
});

type Era = "2025-11-25" | "2026-07-28";
const ERAS: readonly Era[] = ["2025-11-25", "2026-07-28"];

async function withClient<Result>(era: Era, work: (client: Client) => Promise<Result>): Promise<Result> {
  const mode = era === "2025-11-25" ? "legacy" : { pin: era };
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** Keeps every read of files waiting in the database while `work` is done. */
async function whileFilesAreLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  const holder = await running.database.pool.connect();
  try {
    await holder.query("begin");
    await holder.query("lock table tenant_one.files in access exclusive mode");
    return await work();
  } finally {
    await holder.query("rollback");
    holder.release();
  }
}

const collectGarbage: unknown = (setFlagsFromString("--expose-gc"), runInNewContext("gc"));

/** What only weak references hold goes, as it does in a process that has much to do. */
function loseWhatNobodyHolds(): void {
  if (typeof collectGarbage !== "function") {
    throw new Error("this Node collects no garbage on demand");
  }
  collectGarbage();
}

/** Statements that wait for the lock. */
async function waiting(): Promise<number> {
  const { rows } = await running.database.pool.query(
    "select 1 from pg_stat_activity where datname = current_database() and state = 'active' and wait_event_type = 'Lock'",
  );
  return rows.length;
}

/** Long before the database would give the statement up by itself. */
const SOON = { timeout: 8_000 };

const READING = { name: "read_file", arguments: { repo: "acme/shop", path: "src/cart.ts" } };

test.for(ERAS)("cancelling a call of MCP %s ends its SQL, and the next call is answered", needsRealPostgres, async (era) => {
  await withClient(era, async (client) => {
    await whileFilesAreLocked(async () => {
      const giving = new AbortController();
      const calls = ["read_file", "search"].map(async (name) =>
        client.callTool(name === "read_file" ? READING : { name, arguments: { query: "addToCart" } }, { signal: giving.signal }),
      );
      const outcomes = Promise.allSettled(calls);
      await expect.poll(waiting, SOON).toBeGreaterThan(1);
      giving.abort("enough");
      expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      await expect.poll(waiting, SOON).toBe(0);
    });
    expect((await client.callTool(READING)).isError).toBeUndefined();
  });
});

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function post(
  body: unknown,
  { signal = null, headers = {} }: { signal?: AbortSignal | null; headers?: Record<string, string> } = {},
) {
  return fetch(address, {
    method: "POST",
    headers: { ...json, authorization: `Bearer ${token}`, ...headers },
    body: JSON.stringify(body),
    signal,
  });
}

const calling = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: READING });
const cancelling = (id: number) => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });

test("a client that closes its connection leaves no SQL behind", needsRealPostgres, async () => {
  await whileFilesAreLocked(async () => {
    const leaving = new AbortController();
    const left = post(calling(1), { signal: leaving.signal }).then(async (response) => response.text());
    const outcome = Promise.allSettled([left]);
    await expect.poll(waiting, SOON).toBe(1);
    loseWhatNobodyHolds();
    leaving.abort();
    await outcome;
    await expect.poll(waiting, SOON).toBe(0);
  });
});

async function startSession(): Promise<Record<string, string>> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const response = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

test("a cancellation reaches the call of its own session only, whose answer then ends without a result", needsRealPostgres, async () => {
  const [mine, other] = [await startSession(), await startSession()];
  expect(mine["mcp-session-id"]).toMatch(/^[0-9a-f-]{36}$/);
  expect(other).not.toEqual(mine);
  await whileFilesAreLocked(async () => {
    const answers = [mine, other].map(async (headers) => (await post(calling(7), { headers })).text());
    await expect.poll(waiting, SOON).toBe(2);
    loseWhatNobodyHolds();
    for (const headers of [{}, { ...mine, "mcp-session-id": "another" }]) {
      expect((await post(cancelling(7), { headers })).status).toBe(202);
    }
    await post(cancelling(8), { headers: mine });
    expect(await waiting()).toBe(2);
    await post(cancelling(7), { headers: mine });
    await expect.poll(waiting, SOON).toBe(1);
    expect(await answers[0]).not.toContain("result");
    await post(cancelling(7), { headers: other });
    await expect.poll(waiting, SOON).toBe(0);
    await Promise.all(answers);
  });
});

test("a cancellation that overtakes its call ends it", needsRealPostgres, async () => {
  const headers = await startSession();
  await whileFilesAreLocked(async () => {
    await post(cancelling(7), { headers });
    expect(await (await post(calling(7), { headers })).text()).not.toContain("result");
    await expect.poll(waiting, SOON).toBe(0);
  });
});

test("a call that is cancelled before its tools are known does not run", async () => {
  const offering = Promise.withResolvers<boolean>();
  const isOffered = vi.fn<() => Promise<boolean>>(async () => offering.promise);
  const toolset = { instructions: "", tools: [] };
  const own = await startCodeIndex({ plugin: { ...toolset, evaluation: toolset, isOffered } });
  try {
    const bearer = await own.createToken("one");
    const send = async (payload: object, session: Record<string, string>) =>
      own.server.inject({
        method: "POST",
        url: "/mcp",
        headers: { host: "localhost", ...json, authorization: `Bearer ${bearer}`, ...session },
        payload,
      });
    const session = { "mcp-session-id": "mine" };
    const answer = send(calling(7), session);
    await expect.poll(() => isOffered.mock.calls.length).toBe(1);
    const cancelled = send(cancelling(7), session);
    await expect.poll(() => isOffered.mock.calls.length).toBe(2);
    offering.resolve(false);
    await cancelled;
    expect((await answer).body).not.toContain("result");
  } finally {
    await own.stop();
  }
});

test("two clients of one token that name no session are not cancelled for each other", needsRealPostgres, async () => {
  await whileFilesAreLocked(async () => {
    const leaving = new AbortController();
    const answers = [1, 2].map(async () => (await post(calling(7), { signal: leaving.signal })).text());
    const outcomes = Promise.allSettled(answers);
    await expect.poll(waiting, SOON).toBe(2);
    await post(cancelling(7));
    expect(await waiting()).toBe(2);
    leaving.abort();
    await outcomes;
    await expect.poll(waiting, SOON).toBe(0);
  });
});

test.for(ERAS)("a long call of MCP %s tells of its progress to who asked for it", needsRealPostgres, async (era) => {
  await withClient(era, async (client) => {
    const told: { progress: number; total?: number | undefined }[] = [];
    await whileFilesAreLocked(async () => {
      const giving = new AbortController();
      const asking = client.callTool(READING, { signal: giving.signal, onprogress: (progress) => void told.push(progress) });
      const outcome = Promise.allSettled([asking]);
      await expect.poll(() => told.length, { timeout: 8_000 }).toBeGreaterThan(1);
      giving.abort("enough");
      await outcome;
    });
    expect(told.map(({ progress }) => progress)).toEqual(told.map((_, index) => index + 1));
    expect(told[0]).toMatchObject({ total: 15 });
  });
});

test("a token that calls too often is told when to call again, another is not held up", async () => {
  const limited = await startCodeIndex({ mcpCallsPerMinute: 3 });
  try {
    const [busy, other] = [await limited.createToken("one"), await limited.createToken("one")];
    const list = async (bearer: string) =>
      limited.server.inject({
        method: "POST",
        url: "/mcp",
        headers: { host: "localhost", authorization: `Bearer ${bearer}`, accept: "application/json, text/event-stream" },
        payload: { jsonrpc: "2.0", id: 1, method: "tools/list" },
      });
    for (const status of [200, 200, 200, 429]) {
      expect((await list(busy)).statusCode).toBe(status);
    }
    const refused = await list(busy);
    expect(refused.json()).toEqual({ error: "rate_limited", message: expect.stringMatching(/call again in \d+ s/) });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await list(other)).statusCode).toBe(200);
  } finally {
    await limited.stop();
  }
});

test("requests in a batch, of which a rate limit would count one and nobody could cancel any, are refused", async () => {
  const answer = await post([calling(1), calling(2)]);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32_600, message: expect.stringContaining("one by one") },
  });
});
