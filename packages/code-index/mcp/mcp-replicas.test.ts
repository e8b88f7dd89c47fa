import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startCodeIndex, type RunningCodeIndex } from "#testing/running-code-index.ts";

/** `/mcp` of two processes, between which a balancer may send each request of a client anywhere. */
let running: RunningCodeIndex;
let other: Awaited<ReturnType<RunningCodeIndex["startReplica"]>>;
let token: string;

beforeEach(async () => {
  running = await startCodeIndex({ mcpCallsPerMinute: CALLS });
  other = await running.startReplica();
  token = await running.createToken("one");
});

afterEach(async () => {
  await other.stop();
  await running.stop();
});

/** Few enough to be used up, and enough for a session. */
const CALLS = 12;

async function post(server: HttpServer, payload: object, headers: Record<string, string> = {}) {
  return server.inject({
    method: "POST",
    url: "/mcp",
    headers: { host: "localhost", authorization: `Bearer ${token}`, accept: "application/json, text/event-stream", ...headers },
    payload,
  });
}

async function startSession(): Promise<Record<string, string>> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const answer = await post(running.server, { jsonrpc: "2.0", id: 0, method: "initialize", params });
  return { "mcp-session-id": String(answer.headers["mcp-session-id"]) };
}

/** Calls that wait for the lock; what an indexer does meanwhile has no path in its statements. */
async function waiting(): Promise<number> {
  const { rows } = await running.database.pool.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%where file.path = $%'",
  );
  return rows.length;
}

/** Long before a call is given up by itself. */
const SOON = { timeout: 8_000 };

const calling = (id: number | string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "read_file", arguments: { repo: "acme/shop", path: "src/cart.ts" } },
});
const cancelling = (requestId: number | string) => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });

test("a call is cancelled by a request that reaches another process, and no other call is", needsRealPostgres, async () => {
  await running.index("acme/shop", { "src/cart.ts": "export const cart = [];\n" });
  const [mine, theirs] = [await startSession(), await startSession()];
  const holder = await running.database.pool.connect();
  try {
    await holder.query("begin");
    await holder.query("lock table tenant_one.files in access exclusive mode");
    const answers = [
      post(running.server, calling(7), mine),
      post(running.server, calling(7), theirs),
      post(other.server, calling("7"), mine),
    ];
    await expect.poll(waiting, SOON).toBe(3);

    expect((await post(other.server, cancelling(7), mine)).statusCode).toBe(202);
    expect((await answers[0])?.body).not.toContain("result");
    await expect.poll(waiting, SOON).toBe(2);
    expect((await post(running.server, cancelling("7"), mine)).statusCode).toBe(202);
    await expect.poll(waiting, SOON).toBe(1);
    expect((await post(other.server, cancelling(7), theirs)).statusCode).toBe(202);
    await expect.poll(waiting, SOON).toBe(0);
    await Promise.all(answers);
  } finally {
    await holder.query("rollback");
    holder.release();
  }
  // The same name again is another call: nothing of the old word is left for it.
  expect((await post(running.server, calling(7), mine)).body).toContain("cart = []");
});

test("a token's calls are counted over both processes", async () => {
  const listing = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const answers = await Promise.all(
    [running.server, other.server].flatMap((server) => Array.from({ length: CALLS }, () => post(server, listing))),
  );
  const granted = answers.filter(({ statusCode }) => statusCode === 200).length;
  expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(2 * CALLS - granted);
  // One comes back every five seconds.
  expect(granted).toBeOneOf([CALLS, CALLS + 1]);
});
