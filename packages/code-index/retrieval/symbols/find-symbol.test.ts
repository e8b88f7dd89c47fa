import { afterAll, beforeAll, expect, test } from "vitest";
import type { ReferencesRequest, SymbolsRequest } from "#contract.ts";
import type { Tenant } from "#store/tenancy/tenant.ts";
import { startBuildFixture, type BuildFixture } from "#testing/build-fixture.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { findReferences } from "./find-references.ts";
import { findSymbols } from "./find-symbol.ts";

let fixture: BuildFixture;
let tenant: Tenant;
let other: Tenant;
let shopId: string;
const sources: GitRepository[] = [];

const SHOP = {
  "src/cart.ts":
    "/** Puts it in. */\nexport function addToCart(\n  item: string,\n  count = 1,\n): void {\n  cart.push(item);\n}\n\nexport class Cart {\n  total(): number {\n    return addToCart.length;\n  }\n}\n",
  "src/checkout.ts":
    'import { addToCart, Cart } from "./cart.ts";\n\nexport function checkout() {\n  // addToCart is called below\n  return addToCart("x", new Cart().total());\n}\n',
  "src/addToCartButton.tsx":
    "export function AddToCartButton() {\n  return <button onClick={addToCartLater} />;\n}\nconst addToCartLater = 1;\n",
  "test/cart.test.ts": 'import { addToCart } from "../src/cart.ts";\naddToCart("y");\n',
  "vendor/copy/cart.ts": "export function addToCart() {}\n",
  "lib/server.cpp": '#include "server.h"\nvoid Server::start(int port) {\n  listen(port);\n}\nint main() {\n  Server().start(1);\n}\n',
  "lib/shop.py": "class Shop:\n    def start(self):\n        return total(self)\n\ndef add_to_cart(item):\n    return Shop().start()\n",
  "README.md": "# addToCart\n\nCall addToCart.\n",
};

beforeAll(async () => {
  fixture = await startBuildFixture();
  tenant = await fixture.tenant("one");
  other = await fixture.tenant("two");
  shopId = await indexed(tenant, "acme/shop", SHOP);
  await indexed(tenant, "acme/web", { "app.ts": 'import { addToCart } from "shop";\naddToCart("z");\n' });
  await indexed(other, "acme/shop", { "foreign.ts": "export function addToCart() {}\naddToCart();\n" });
});

afterAll(async () => {
  await fixture.stop();
  await Promise.all(sources.map((source) => source.remove()));
});

async function indexed(of: Tenant, name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const source = await createGitRepository();
  sources.push(source);
  await source.commit(files);
  const repoId = await fixture.register(of, name, source.url);
  await fixture.run({ tenant: of, repoId });
  return repoId;
}

const symbols = (name: string, asked: Partial<SymbolsRequest> = {}, repositories?: readonly string[]) =>
  findSymbols(fixture.finding, { tenant, repositories }, { name, limit: 20, ...asked });
const references = (symbol: string, asked: Partial<ReferencesRequest> = {}, repositories?: readonly string[]) =>
  findReferences(fixture.finding, { tenant, repositories }, { symbol, all: false, limit: 50, ...asked });
const places = (found: readonly { readonly path: string; readonly name: string }[]) => found.map(({ path, name }) => `${path} ${name}`);
const lines = (found: readonly { readonly repo: string; readonly path: string; readonly line: number }[]) =>
  found.map(({ repo, path, line }) => `${repo} ${path}:${line}`);

test("a name is found where it is defined, code before copies, with its signature and lines", async () => {
  const answer = await symbols("addToCart");
  expect(places(answer.symbols)).toEqual(["src/cart.ts addToCart", "vendor/copy/cart.ts addToCart"]);
  expect(answer.symbols[0]).toMatchObject({
    repo: "acme/shop",
    ref: "main",
    kind: "function",
    language: "typescript",
    start_line: 2,
    end_line: 7,
    signature: "export function addToCart( item: string, count = 1, ): void {",
  });
  expect(answer).toMatchObject({ total: 2, partial: false, next_cursor: null, notes: [] });
});

test.for([
  ["ADDTOCART", ["src/cart.ts addToCart", "vendor/copy/cart.ts addToCart"]],
  ["add to cart", ["lib/shop.py add_to_cart", "src/cart.ts addToCart", "vendor/copy/cart.ts addToCart"]],
  ["addToCart(item)", ["src/cart.ts addToCart", "vendor/copy/cart.ts addToCart"]],
  ["Server::start", ["lib/server.cpp Server::start", "lib/shop.py start"]],
  ["Shop.start", ["lib/shop.py start", "lib/server.cpp Server::start"]],
  ["start", ["lib/server.cpp Server::start", "lib/shop.py start"]],
] as const)("%s is found however it is written", async ([name, expected]) => {
  const found = places((await symbols(name)).symbols);
  expect(found).toEqual(expected);
});

test("what only begins with the name is found when nothing has it, and said to", async () => {
  const answer = await symbols("addToCartB");
  expect(places(answer.symbols)).toEqual(["src/addToCartButton.tsx AddToCartButton"]);
  expect(answer.notes.join()).toContain("begin with it");
  expect((await symbols("nowhere%_")).notes.join()).toContain("Nothing is defined");
});

test("a name that nothing has gets those that are spelt nearly so, and one of another kind gets its kind", async () => {
  expect((await symbols("addToCrat")).notes.join()).toContain("did you mean addToCart");
  expect((await references("addToCrat")).notes.join()).toContain("No line uses addToCrat; did you mean addToCart");
  expect((await symbols("start", { kind: "class" })).notes).toEqual(["No class has the name start. By kind: method 2; leave kind out."]);
});

test("a name may be asked for as it is written where it is defined", async () => {
  expect(places((await symbols("class Cart")).symbols)).toEqual(["src/cart.ts Cart"]);
  expect(await symbols("def start(self)")).toMatchObject({ symbols: (await symbols("start")).symbols, notes: [] });
  expect((await references("function addToCart(item)")).total).toBe((await references("addToCart")).total);
});

test("definitions are narrowed down by kind, path, language and repository", async () => {
  expect(places((await symbols("Cart", { kind: "class" })).symbols)).toEqual(["src/cart.ts Cart"]);
  expect((await symbols("Cart", { kind: "enum" })).symbols).toEqual([]);
  expect(places((await symbols("start", { lang: "python" })).symbols)).toEqual(["lib/shop.py start"]);
  expect(places((await symbols("addToCart", { path: "vendor/*" })).symbols)).toEqual(["vendor/copy/cart.ts addToCart"]);
  expect((await symbols("addToCart", { repo: "acme/web" })).symbols).toEqual([]);
  await expect(symbols("addToCart", { repo: "acme/none" })).rejects.toThrow("acme/none is not indexed here; known: acme/web, acme/shop.");
});

test("uses are listed with line, kind and what they are in: the definition's own folder first, tests and copies behind", async () => {
  const answer = await references("addToCart");
  expect(lines(answer.references)).toEqual([
    "acme/shop src/cart.ts:11",
    "acme/shop src/checkout.ts:1",
    "acme/shop src/checkout.ts:5",
    "acme/web app.ts:1",
    "acme/web app.ts:2",
    "acme/shop test/cart.test.ts:1",
    "acme/shop test/cart.test.ts:2",
  ]);
  expect(answer.references[0]).toMatchObject({ kind: "read", within: "Cart › total", text: "    return addToCart.length;" });
  expect(answer.references[2]).toMatchObject({ kind: "call", within: "checkout", language: "typescript" });
  expect(answer.references[1]).toMatchObject({ kind: "import", within: null });
  expect(answer).toMatchObject({ total: 7, files_total: 4, partial: false, next_cursor: null });
  // The text: a comment, and two lines of a document.
  expect(answer.counts).toEqual({ definition: 2, implementation: 0, import: 3, write: 0, call: 3, type: 0, read: 1, text: 3 });
  expect(places(answer.definitions)).toEqual(["src/cart.ts addToCart", "vendor/copy/cart.ts addToCart"]);
  expect(answer.notes.join()).toContain("Several definitions");
});

test("of a method its users come first that use its class, too", async () => {
  const answer = await references("Server::start");
  expect(lines(answer.references)).toEqual(["acme/shop lib/server.cpp:6", "acme/shop lib/shop.py:6"]);
  expect(answer.references[0]).toMatchObject({ within: "main", kind: "call" });
});

test("a file that uses more names than are kept is not missed", async () => {
  const names = Array.from({ length: 600 }, (_, index) => `use${index}();`).join("\n");
  const repoId = await indexed(tenant, "acme/crowd", { "crowd.ts": `${names}\n// raresymbol\nhelper(raresymbol);\n` });
  expect(lines((await references("use599")).references)).toEqual(["acme/crowd crowd.ts:600"]);
  expect((await references("use599", {}, [shopId])).references).toEqual([]);
  expect((await references("use599", {}, [repoId])).total).toBe(1);
});

test("pages go on where the last one ended; a cursor of another question is refused", async () => {
  const whole = await references("addToCart");
  const read: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await references("addToCart", { limit: 3, cursor });
    read.push(...lines(page.references));
    expect(page.total).toBe(7);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(read).toEqual(lines(whole.references));
  const { next_cursor: next } = await references("addToCart", { limit: 3 });
  expect(lines((await references("addToCart", { cursor: whole.cursorAfter(6) })).references)).toEqual(["acme/shop test/cart.test.ts:2"]);
  await expect(references("Cart", { cursor: next ?? "" })).rejects.toMatchObject({ code: "invalid_cursor", status: 400 });
  await expect(symbols("addToCart", { cursor: next ?? "" })).rejects.toMatchObject({ code: "invalid_cursor" });
  await expect(references("addToCart", { cursor: "e30" })).rejects.toMatchObject({ code: "invalid_cursor" });
});

test.for(["", "  ", "::", "()", "a\0b"])("%j names nothing, and that is said", async (name) => {
  await expect(symbols(name)).rejects.toMatchObject({ code: "invalid_query", status: 400 });
  await expect(references(name)).rejects.toMatchObject({ code: "invalid_query", status: 400 });
});

test.for([
  "%",
  "_",
  "a'b",
  "🦄",
  "שלום",
  "(".repeat(500),
  "x".repeat(500),
  "select 1; --",
  "\ud800",
  "\\",
  "a*b",
  "[a-z]+",
  "operator==",
  "my-name",
  "a\\b/c",
])("%j is looked for like any other name", async (name) => {
  expect((await symbols(name)).symbols).toEqual([]);
  expect((await references(name)).references).toEqual([]);
});

test("a token for one repository, and another tenant, learn nothing of the others", async () => {
  const web = (await references("addToCart", { repo: "acme/web" })).references;
  expect(lines(web)).toEqual(["acme/web app.ts:1", "acme/web app.ts:2"]);
  const restricted = await references("addToCart", {}, [shopId]);
  expect(new Set(restricted.references.map(({ repo }) => repo))).toEqual(new Set(["acme/shop"]));
  const foreign = await findSymbols(fixture.finding, { tenant: other }, { name: "addToCart", limit: 20 });
  expect(places(foreign.symbols)).toEqual(["foreign.ts addToCart"]);
});

test("a method is asked for with its receiver, which may stand in another file, and a kind by its name", async () => {
  await indexed(tenant, "acme/receivers", {
    "server.go":
      "package app\n\ntype Handler interface {\n\tStop() error\n}\n\ntype Server struct{}\n\nfunc (a *Admin) Stop() error { return nil }\n\nfunc (s *Server) Stop() error {\n\treturn s.close()\n}\n",
    "Text.kt": "fun String.shout() = uppercase()\n",
    "list.rs": "struct List<T>(T);\nimpl<T> List<T> {\n    fn head(&self) {}\n}\n",
    "client.rb": "class Net::Client\n  def open; end\nend\n",
  });
  const first = async (name: string, asked: Partial<SymbolsRequest> = {}) => {
    const { symbols: found, notes } = await symbols(name, { repo: "acme/receivers", ...asked });
    return [found.slice(0, 1).map(({ kind, scope, start_line: line }) => `${kind} ${scope}:${line}`), notes].flat();
  };
  expect(await first("Server.Stop")).toEqual(["method Server:11"]);
  expect(await first("Handler.Stop")).toEqual(["method Handler:4"]);
  expect(await first("String.shout")).toEqual(["function String:1"]);
  expect(await first("List.head")).toEqual(["method List<T>:3"]);
  expect(await first("Client.open")).toEqual(["method Net::Client:2"]);
  expect(await first("Handler", { kind: "interface" })).toEqual(["interface :3"]);
  const { references: uses } = await references("close", { repo: "acme/receivers" });
  expect(uses).toMatchObject([{ line: 12, within: "Server › Stop" }]);
});

test("what extends or implements a name is asked for by its kind, and counted beside the other uses", async () => {
  await indexed(tenant, "acme/kinds", {
    "a.ts":
      "export interface Store { load(): void }\nexport class Memory implements Store { load() {} }\nexport const open = (store: Store) => store.load();\n",
    "b.py": "from a import Store\n\nclass Files(Store):\n    pass\n\n\nclass Boxes(Store[int], Box[Store]):\n    pass\n",
    "c.rs": "impl Store for Disk {}\n",
  });
  const { references: found, counts, total } = await references("Store", { repo: "acme/kinds", kind: "implementation" });
  expect(lines(found)).toEqual(["acme/kinds a.ts:2", "acme/kinds b.py:3", "acme/kinds b.py:7", "acme/kinds c.rs:1"]);
  expect(total).toBe(4);
  expect(counts).toMatchObject({ definition: 1, implementation: 4, import: 1, type: 1 });
  await indexed(tenant, "acme/methods", {
    "store/store.go":
      "package store\n\ntype Store interface {\n\tLoad() error\n\tSave(x int) error\n}\n\ntype Cache interface {\n\tLoad() error\n\tSave(x int) error\n}\n",
    "disk/disk.go": "package disk\n\ntype Disk struct{}\n\nfunc (d *Disk) Load() error { return nil }\n",
    "disk/save.go": "package disk\n\nfunc (d *Disk) Save(x int) error { return nil }\n",
    "half/half.go":
      "package half\n\ntype Half struct{}\n\nfunc (h Half) Load() error { return nil }\n\nfunc (h Half) Store(id string) error { return nil }\n",
    "other/other.go":
      "package other\n\ntype Other struct{}\n\nfunc (o Other) Load() error { return nil }\nfunc (o Other) Save(x int, y func(a, b int)) error { return nil }\ntype Silent struct{}\nfunc (s Silent) Load() error { return nil }\nfunc (s Silent) Save(x int) {}\n",
  });
  const { notes } = await references("Store", { repo: "acme/methods", kind: "implementation" });
  expect(notes).toContain("By the names and parameters of its methods these types of Go implement it: Disk (disk/disk.go:5).");
  expect(lines((await references("Store", { repo: "acme/kinds", kind: "import" })).references)).toEqual(["acme/kinds b.py:1"]);
});
