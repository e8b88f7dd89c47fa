import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";
import { SCIP_SOURCES, scipFixture } from "#testing/scip-fixture.ts";

let running: RunningCodeIndex;
let shop: Indexed;

beforeAll(async () => {
  running = await startCodeIndex();
  shop = await running.index("acme/shop", SCIP_SOURCES);
}, 60_000);

afterAll(() => running.stop());

test("an upload that is refused while it still comes is answered, and its connection ends behind that", async () => {
  const { port, hostname } = new URL(await running.server.listen({ host: "127.0.0.1", port: 0 }));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (body: Buffer, headers: Readonly<Record<string, string>>, length = body.length) => {
    const path = `/api/v1/repos/${shop.id}/scip?commit=${shop.commit}`;
    const typed = { "content-type": "application/octet-stream", "content-length": length, ...running.asAdmin(), ...headers };
    const sending = request({ agent, hostname, port, path, method: "POST", headers: typed });
    const answered = once(sending, "response");
    sending.write(body);
    const [answer] = (await answered) as [IncomingMessage];
    const { error } = (await json(answer)) as { readonly error: string };
    sending.destroy();
    return [answer.statusCode, error, answer.headers.connection];
  };
  const large = Buffer.alloc(16 * 1024 * 1024, 1);
  const cut = gzipSync(await scipFixture("typescript")).subarray(0, 500);
  const gzip = { "content-encoding": "gzip" };
  expect(await send(large, {})).toEqual([400, "invalid_scip", "close"]);
  expect(await send(large, gzip)).toEqual([400, "invalid_scip", "close"]);
  expect(await send(large, { authorization: "Bearer none" })).toEqual([401, "auth_failed", "close"]);
  expect(await send(large, { "content-type": "application/json" })).toEqual([415, "unsupported_media_type", "close"]);
  expect(await send(cut, {}, cut.length * 1000)).toEqual([400, "invalid_scip", "close"]);
  expect(await send(cut, {})).toEqual([400, "invalid_scip", "keep-alive"]);
  expect(await send(cut, gzip)).toEqual([400, "invalid_scip", "keep-alive"]);
  agent.destroy();
});
