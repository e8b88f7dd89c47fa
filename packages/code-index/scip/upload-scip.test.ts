import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";
import { SCIP_SOURCES, scipFixture } from "#testing/scip-fixture.ts";

let running: RunningCodeIndex;
let shop: Indexed;

beforeAll(async () => {
  running = await startCodeIndex();
  shop = await running.index("acme/shop", { ...SCIP_SOURCES, "web/src/old.js": "export function charge() {}\ncharge();\n" });
}, 60_000);

afterAll(() => running.stop());

type Sending = {
  readonly id?: string;
  readonly commit?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

async function upload(payload: Buffer, { id = shop.id, commit = shop.commit, headers = {} }: Sending = {}) {
  const answer = await running.server.inject({
    method: "POST",
    url: `/api/v1/repos/${id}/scip?commit=${commit}`,
    headers: { ...running.asAdmin(), "content-type": "application/octet-stream", ...headers },
    payload,
  });
  return { status: answer.statusCode, body: answer.json() };
}

async function get(path: string) {
  const answer = await running.server.inject({ url: `/api/v1/${path}`, headers: running.asAdmin() });
  expect({ path, status: answer.statusCode }).toEqual({ path, status: 200 });
  return answer.json();
}

type Place = { readonly path: string; readonly line: number; readonly start_line: number; readonly precision: string };
const usesOf = async (query: string) =>
  (await get(`references?${query}`)).references.map(({ path, line, precision }: Place) => `${path}:${line} ${precision}`);
const definitionsOf = async (query: string) =>
  (await get(`symbols?${query}`)).symbols.map(({ path, start_line: line, precision }: Place) => `${path}:${line} ${precision}`);

test("uploads", async () => {
  expect.soft(await upload(await scipFixture("typescript"))).toEqual({});
  expect.soft(await upload(gzipSync(await scipFixture("python")), { headers: { "content-encoding": "gzip" } })).toEqual({});
  expect.soft(await usesOf("symbol=charge")).toEqual([]);
  expect.soft(await usesOf("symbol=charge&repo=acme/shop&position=web/src/shop.ts:8:15")).toEqual([]);
  expect.soft(await definitionsOf("name=charge&repo=acme/shop&position=web/src/shop.ts:8")).toEqual([]);
  expect.soft(await get("symbols?name=charge&repo=acme/shop&position=web/src/shop.ts:8")).toEqual([]);
});
void vi;
