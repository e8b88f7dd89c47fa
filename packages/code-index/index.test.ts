import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";

let running: RunningCodeIndex;
let shop: Indexed;
let token: string;

const ORDERS = `import { charge } from "./payment.ts";

/** Takes an order and charges its buyer. */
export async function placeOrder(order: Order): Promise<Receipt> {
  const receipt = await charge(order.buyer, order.total);
  return receipt;
}
`;

const PAYMENT = `const RETRIES = 3;

/** Charges a card, and tries again with a growing pause when the bank is busy. */
export async function charge(buyer: string, total: number) {
  for (let attempt = 0; attempt < RETRIES; attempt++) {
    const answer = await bank.debit(buyer, total);
    if (answer.ok) {
      return answer;
    }
    await pause(2 ** attempt * 100);
  }
  throw new Error("100% of the attempts failed: bank_busy");
}
`;

const FILES = {
  "src/orders.ts": ORDERS,
  "src/payment.ts": PAYMENT,
  "src/payment.test.ts": `import { charge } from "./payment.ts";\ntest("charges a card again when the bank is busy", () => charge("me", 1));\n`,
  "tools/report.py": `def print_report(orders):\n    """Prints what was sold."""\n    for order in orders:\n        print(order)\n`,
  "README.md": "# Shop\n\nSells things. A card is charged by the payment service.\n",
  "empty.txt": "",
};

beforeAll(async () => {
  running = await startCodeIndex();
  shop = await running.index("acme/shop", FILES);
  token = await running.createToken();
});

afterAll(() => running.stop());

async function search(query: string, filters: Record<string, string> = {}, tokenOf = token) {
  const answer = await running.server.inject({
    method: "POST",
    url: "/api/v1/search",
    headers: { authorization: `Bearer ${tokenOf}` },
    payload: { query, ...filters },
  });
  return { status: answer.statusCode, body: answer.json() };
}

test("a question in plain words finds the code that does it, with commit, path and lines", async () => {
  const { body } = await search("how is a failed charge tried again");
  expect(body.results[0]).toMatchObject({
    repo: "acme/shop",
    commit: shop.commit,
    path: "src/payment.ts",
    language: "typescript",
    start_line: 1,
  });
  expect(body.results[0].content).toContain("2 ** attempt");
  expect(body.legs).toMatchObject({ semantic: { state: "ok" }, bm25: { state: "ok" }, exact: { state: "ok" } });
});

test("an identifier finds its definition before its uses", async () => {
  const { body } = await search("charge");
  expect(body.results[0]).toMatchObject({ path: "src/payment.ts", symbol: "charge" });
  expect(body.results.map((result: { path: string }) => result.path)).toContain("src/orders.ts");
  expect(body.results[0].matched_lines).toContain(4);
});

test.for([
  ["100%", "src/payment.ts"],
  ["bank_busy", "src/payment.ts"],
  ["%", "src/payment.ts"],
  ["2 ** attempt * 100", "src/payment.ts"],
  ['"./payment.ts"', "src/orders.ts"],
  ["await charge(order.buyer", "src/orders.ts"],
] as const)("the literal %s is found letter for letter", async ([query, path]) => {
  const { status, body } = await search(query);
  expect(status).toBe(200);
  expect(body.results[0]?.path).toBe(path);
});

test.for(["a%b%c_", "\\", "'", '"', "((((", "]]>", "😀 🎉", "'; drop table code_chunks; --", "*", "\u0001", "\ud800"])(
  "the query %j is answered",
  async (query) => {
    expect((await search(query)).status).toBe(200);
  },
);

test.for([
  ["one word", "x".repeat(10_000)],
  ["many words", "ab ".repeat(3_333)],
  ["many different words", Array.from({ length: 1_500 }, (_, index) => `w${index}`).join(" ")],
] as const)("a query of ten thousand characters, %s, is answered", async ([, query]) => {
  expect((await search(query)).status).toBe(200);
});

test("a literal that is nowhere is not found by its wildcard characters", async () => {
  const { body } = await search("b%y_busy");
  expect(body.legs.exact.hits).toBe(0);
});

test.for([
  ["nothing", "", "invalid_request"],
  ["spaces", "   ", "invalid_query"],
  ["a NUL", "a\0b", "invalid_query"],
  ["over ten thousand characters", "x".repeat(10_001), "invalid_request"],
] as const)("a query of %s is refused with a reason", async ([, query, code]) => {
  const { status, body } = await search(query);
  expect({ status, error: body.error }).toEqual({ status: 400, error: code });
});

test("a filter with a NUL is refused", async () => {
  expect(await search("charge", { path: "a\0" })).toMatchObject({ status: 400, body: { error: "invalid_query" } });
  expect(await search("charge", { repo: "a\0" })).toMatchObject({ status: 404, body: { error: "repository_not_found" } });
});

test("results keep to a path, a language and a repository", async () => {
  const paths = async (filters: Record<string, string>) =>
    (await search("order", filters)).body.results.map((result: { path: string }) => result.path);
  expect(await paths({ path: "tools/" })).toEqual(["tools/report.py"]);
  expect(await paths({ path: "SRC/*.ts" })).not.toContain("tools/report.py");
  expect(await paths({ lang: "Python" })).toEqual(["tools/report.py"]);
  expect(await paths({ repo: "acme/shop" })).toContain("src/orders.ts");
  expect(await paths({ path: "_" })).toEqual([]);
});

test("an unknown repository is refused with the known ones", async () => {
  const { status, body } = await search("charge", { repo: "acme/warehouse" });
  expect(status).toBe(404);
  expect(body).toEqual({
    error: "repository_not_found",
    message: "The repository acme/warehouse is not indexed here; known: acme/shop.",
  });
});

test("searching works by GET too", async () => {
  const answer = await running.server.inject({
    url: "/api/v1/search?query=placeOrder&limit=1",
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.json()).toMatchObject({ results: [{ path: "src/orders.ts" }] });
});

test("a leg that does not answer in time is named and the others answer", needsRealPostgres, async () => {
  const client = await running.database.pool.connect();
  try {
    await client.query("begin; lock table tenant_one.vectors_1 in access exclusive mode");
    const { status, body } = await search("charge");
    expect(status).toBe(200);
    expect(body.legs.semantic).toMatchObject({ state: "timeout", hits: 0, reason: expect.stringContaining("1500 ms") });
    expect(body.results[0]).toMatchObject({ path: "src/payment.ts" });
  } finally {
    await client.query("rollback");
    client.release();
  }
});

test("a leg that fails is named and the others answer", needsRealPostgres, async () => {
  await running.database.pool.query("alter table tenant_one.postings rename to postings_away");
  try {
    // A word that nobody asked for before: what was read once is kept.
    const { status, body } = await search("debit");
    expect(status).toBe(200);
    expect(body.legs.bm25).toMatchObject({ state: "degraded", reason: expect.stringContaining("failed") });
    expect(body.results[0]).toMatchObject({ path: "src/payment.ts" });
  } finally {
    await running.database.pool.query("alter table tenant_one.postings_away rename to postings");
  }
});

test("a file is read whole or by lines, byte for byte", async () => {
  const read = async (query: string) =>
    (await running.server.inject({ url: `/api/v1/repos/${shop.id}/file?${query}`, headers: { authorization: `Bearer ${token}` } })).json();
  expect(await read("path=src/payment.ts")).toMatchObject({ content: PAYMENT, commit: shop.commit, start_line: 1, truncated: false });
  expect(await read("path=src/payment.ts&start=3&end=4")).toMatchObject({
    content: `${PAYMENT.split("\n").slice(2, 4).join("\n")}\n`,
    start_line: 3,
    end_line: 4,
  });
  expect(await read("path=src/payment.ts&start=2&end=9999")).toMatchObject({ start_line: 2 });
  for (const path of ["./src/payment.ts", "/src/payment.ts"]) {
    expect(await read(`path=${path}`)).toMatchObject({ content: PAYMENT, path: "src/payment.ts" });
  }
  expect(await read("path=empty.txt")).toMatchObject({ content: "", total_lines: 0 });
  expect(await read("path=payment.ts")).toMatchObject({ error: "file_not_found", message: expect.stringContaining("src/payment.ts") });
  expect(await read("path=src/payment.ts&start=9&end=3")).toMatchObject({ error: "invalid_range" });
  expect(await read("path=src/payment.ts&start=900")).toMatchObject({ error: "invalid_range" });
  expect(await read("path=a%00b")).toMatchObject({ error: "file_not_found" });
});

test("the tree names every file of the indexed commit", async () => {
  const answer = await running.server.inject({
    url: `/api/v1/repos/${shop.id}/tree`,
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.json()).toMatchObject({ repo: "acme/shop", commit: shop.commit });
  expect(answer.json().files.map((file: { path: string }) => file.path)).toEqual(Object.keys(FILES).toSorted());
});

test("the outline of a file names what it defines, and a file that is not there what is like it", async () => {
  const outline = async (path: string) => {
    const url = `/api/v1/repos/${shop.id}/outline?path=${encodeURIComponent(path)}`;
    return (await running.server.inject({ url, headers: { authorization: `Bearer ${token}` } })).json();
  };
  const { symbols, ...place } = await outline("tools/report.py");
  expect(place).toMatchObject({ repo: "acme/shop", commit: shop.commit, path: "tools/report.py", language: "python" });
  expect(symbols).toMatchObject([{ name: "print_report", kind: "function", start_line: 1, end_line: 4 }]);
  expect(await outline("README.md")).toMatchObject({ language: "markdown" });
  expect(await outline("empty.txt")).toMatchObject({ symbols: [] });
  expect(await outline("report.py")).toMatchObject({ error: "file_not_found", message: expect.stringContaining("tools/report.py") });
  expect(await outline("a\0b")).toMatchObject({ error: "file_not_found" });
});

test("a push is searchable after its job, and what it removed is not", async () => {
  const indexed = await running.index("acme/moving", { "a.ts": "export const beforePush = 1;\n" });
  const pushed = await indexed.source.commit({ "a.ts": "export const afterPush = 2;\n" });
  const started = await running.server.inject({
    method: "POST",
    url: `/api/v1/repos/${indexed.id}/index`,
    headers: running.asAdmin(),
    payload: { mode: "full" },
  });
  expect(started.statusCode).toBe(202);
  await expect
    .poll(async () => (await search("afterPush", { repo: "acme/moving" })).body.results[0]?.commit, { timeout: 20_000 })
    .toBe(pushed);
  const { body } = await search("beforePush", { repo: "acme/moving" });
  expect(body.results.filter((result: { content: string }) => result.content.includes("beforePush"))).toEqual([]);
});
