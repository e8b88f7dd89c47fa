import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { MAX_SAVED_SEARCHES, MAX_WATCHED_SEARCHES } from "#contract.ts";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";

let running: RunningCodeIndex;
let shop: Indexed;

beforeAll(async () => {
  running = await startCodeIndex();
  shop = await running.index("acme/shop", { "src/a.ts": "const a = 1;\n" });
}, 60_000);

afterAll(() => running.stop());

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Asks as a member with a session of their own, whoever that is. */
async function ask(sub: string, method: Method, path = "", payload?: object) {
  const answer = await running.server.inject({
    method,
    url: `/api/v1/saved-searches${path}`,
    headers: { authorization: `Bearer ${running.issue({ tid: sub.startsWith("foreign") ? "two" : "one", role: "member", sub })}` },
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: answer.statusCode, body: answer.body === "" ? undefined : answer.json() };
}

const GREP = { kind: "grep", query: "needle", repo: "acme/shop" };

test("a search that is saved is there in another browser, once, and is its person's alone", async () => {
  const saved = await ask("anna", "POST", "", { ...GREP, name: "  Needles " });
  expect(saved).toMatchObject({ status: 201, body: { ...GREP, name: "Needles", watch: false, unread: 0, not_watchable: null } });
  const { id } = saved.body;
  expect(await ask("anna", "POST", "", GREP)).toMatchObject({ status: 201, body: { id, name: "Needles" } });
  expect(await ask("anna", "GET")).toMatchObject({ status: 200, body: { items: [{ id }], mail: false } });
  expect((await ask("anna", "GET")).body.items).toHaveLength(1);

  const missing = { status: 404, body: { error: "saved_search_not_found" } };
  for (const other of ["bert", "foreign anna"]) {
    expect((await ask(other, "GET")).body.items).toEqual([]);
    expect(await ask(other, "GET", `/${id}/alerts`)).toMatchObject(missing);
    expect(await ask(other, "PATCH", `/${id}`, { watch: true })).toMatchObject(missing);
    expect(await ask(other, "DELETE", `/${id}`)).toMatchObject(missing);
  }
  expect(await ask("anna", "PATCH", `/${id}`, { name: "Renamed" })).toMatchObject({ status: 200, body: { name: "Renamed", watch: false } });
  expect(await ask("anna", "DELETE", `/${id}`)).toEqual({ status: 204, body: undefined });
  expect(await ask("anna", "DELETE", `/${id}`)).toMatchObject(missing);
});

test("what is pushed is counted and shown until it is read", async () => {
  // A push before the first history tells nothing: there is nothing to compare it with.
  const commits = { url: `/api/v1/repos/${shop.id}/commits`, headers: running.asAdmin() };
  await vi.waitUntil(async () => (await running.server.inject(commits)).json().commits.length === 1, { timeout: 20_000, interval: 50 });
  const { id } = (await ask("carl", "POST", "", GREP)).body;
  await ask("carl", "PATCH", `/${id}`, { watch: true });
  const commit = await shop.source.commit({ "src/a.ts": "const a = 1;\nconst needle = 2;\n" });
  await running.server.inject({
    method: "POST",
    url: `/api/v1/repos/${shop.id}/index`,
    headers: running.asAdmin(),
    payload: { mode: "incremental" },
  });
  await vi.waitUntil(async () => (await ask("carl", "GET")).body.items[0].unread === 1, { timeout: 30_000, interval: 100 });
  const { body } = await ask("carl", "GET", `/${id}/alerts`);
  expect(body.items).toEqual([
    {
      repo: "acme/shop",
      ref: "main",
      base: shop.commit,
      commit,
      matches: 1,
      lines: [{ path: "src/a.ts", line: 2, text: "const needle = 2;" }],
      note: null,
      is_new: true,
      found_at: expect.any(String),
    },
  ]);
  expect(await ask("carl", "PATCH", `/${id}`, { read_until: body.items[0].found_at })).toMatchObject({ body: { unread: 0, watch: true } });
  expect((await ask("carl", "GET", `/${id}/alerts`)).body.items).toMatchObject([{ commit, is_new: false }]);
});

test("what can't be watched, mailed or saved says why", async () => {
  const question = (await ask("dora", "POST", "", { kind: "search", query: "how are failed jobs retried" })).body;
  expect(question.not_watchable).toMatch(/exact can be watched/);
  expect(await ask("dora", "PATCH", `/${question.id}`, { watch: true })).toMatchObject({ status: 400, body: { error: "not_watchable" } });
  for (const given of [
    { kind: "search", query: "Server", file_kind: "test" },
    { kind: "search", query: "symbol:Server" },
    { kind: "search", query: "-deprecated lang:go" },
    { kind: "search", query: "server OR client" },
    { kind: "grep", query: "(", regex: true },
    { kind: "grep", query: "a{900}b{900}c{900}d{900}e{900}f{900}", regex: true },
  ]) {
    expect({ given, why: (await ask("dora", "POST", "", given)).body.not_watchable }).toEqual({ given, why: expect.any(String) });
  }
  expect(await ask("dora", "PATCH", `/${question.id}`, { by_email: true })).toMatchObject({
    status: 409,
    body: { error: "mail_not_configured" },
  });
  for (const given of [
    {},
    { kind: "grep", query: "" },
    { kind: "grep", query: "a\0" },
    { kind: "grep", query: "\ud800" },
    { kind: "other", query: "a" },
  ]) {
    expect({ given, status: (await ask("dora", "POST", "", given)).status }).toEqual({ given, status: 400 });
  }
  const token = await running.createToken();
  const answer = await running.server.inject({ url: "/api/v1/saved-searches", headers: { authorization: `Bearer ${token}` } });
  expect(answer).toMatchObject({ statusCode: 403 });
});

test("a person saves and watches so many, and no more", async () => {
  const statuses = new Set<number>();
  for (let at = 0; at < MAX_SAVED_SEARCHES; at++) {
    const { body } = await ask("emil", "POST", "", { kind: "grep", query: `needle ${at}` });
    statuses.add((await ask("emil", "PATCH", `/${body.id}`, { watch: true })).status);
  }
  expect([...statuses]).toEqual([200, 409]);
  const { items } = (await ask("emil", "GET")).body;
  expect(items.filter(({ watch }: { watch: boolean }) => watch)).toHaveLength(MAX_WATCHED_SEARCHES);
  expect(await ask("emil", "POST", "", { kind: "grep", query: "one more" })).toMatchObject({
    status: 409,
    body: { error: "too_many_saved_searches" },
  });
});
