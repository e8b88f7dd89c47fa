import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";

let running: RunningCodeIndex;
let shop: Indexed;
let nextCommit: string;
let token: string;

const SHARED = "export function shippingCosts(weight: number) {\n  return weight * 3;\n}\n";

beforeAll(async () => {
  running = await startCodeIndex();
  shop = await running.index("acme/shop", {
    "src/shipping.ts": SHARED,
    "src/only-main.ts": "export const shippingLabel = 'main';\n",
    "image.bin": "\0\u0001\u0002",
  });
  await running.index("acme/fork", { "src/shipping.ts": SHARED, "src/only-fork.ts": "export const shippingFork = 1;\n" });
  shop.source.git("checkout", "--quiet", "-b", "next");
  shop.source.git("rm", "--quiet", "src/only-main.ts");
  nextCommit = await shop.source.commit({ "src/only-next.ts": "export const shippingNext = 'next';\n" });
  shop.source.git("checkout", "--quiet", "main");
  await send("PATCH", `/api/v1/repos/${shop.id}`, { branches: ["next"] });
  await vi.waitUntil(async () => (await branchCommits())["next"] === nextCommit, { timeout: 30_000, interval: 50 });
  token = (await send("POST", "/api/v1/developer-tokens", { label: "shop alone", repositories: [shop.id] })).token;
});

afterAll(() => running.stop());

async function send(method: "POST" | "PATCH", url: string, payload: object) {
  return (await running.server.inject({ method, url, payload, headers: running.asAdmin() })).json();
}

async function get(url: string, bearer?: string) {
  const headers = bearer === undefined ? running.asAdmin() : { authorization: `Bearer ${bearer}` };
  return (await running.server.inject({ url, headers })).json();
}

async function branchCommits(): Promise<Readonly<Record<string, string>>> {
  const { refs } = await get(`/api/v1/repos/${shop.id}/refs`);
  return Object.fromEntries(refs.map((ref: { name: string; indexed_commit: string }) => [ref.name, ref.indexed_commit]));
}

async function places(query: string, bearer?: string): Promise<readonly string[]> {
  const { results } = await get(`/api/v1/search?limit=50&query=${query}`, bearer);
  return results.map(({ repo, ref, path }: Record<string, string>) => `${repo}@${ref} ${path}`).toSorted();
}

test("the branches are listed with their commits", async () => {
  expect(await branchCommits()).toEqual({ main: shop.commit, next: nextCommit });
});

test("a repository tells its branches, the default one first, and what each leg can find", async () => {
  expect(await get(`/api/v1/repos/${shop.id}`)).toMatchObject({
    default_branch: "main",
    indexed_commit: shop.commit,
    refs: [
      { name: "main", is_default: true, indexed_commit: shop.commit, behind: 0, files: expect.any(Number), indexed_at: expect.any(String) },
      { name: "next", is_default: false, indexed_commit: nextCommit, behind: 0 },
    ],
    legs: { semantic: { state: "ready" }, bm25: { state: "ready" }, exact: { state: "ready" } },
  });
});

test("the default branches are searched, another one when it is named, and each finds exactly its own", async () => {
  expect(await places("shipping")).toEqual([
    "acme/fork@main src/only-fork.ts",
    "acme/fork@main src/shipping.ts",
    "acme/shop@main src/only-main.ts",
  ]);
  expect(await places("shipping&ref=next")).toEqual(["acme/shop@next src/only-next.ts", "acme/shop@next src/shipping.ts"]);
  expect(await places("shipping&repo=acme/shop")).toEqual(["acme/shop@main src/only-main.ts", "acme/shop@main src/shipping.ts"]);
  expect(await get("/api/v1/search?query=shipping&ref=gone")).toMatchObject({ error: "ref_not_indexed" });
});

test("files, trees and coverage are of the branch that is named", async () => {
  const at = (what: string) => get(`/api/v1/repos/${shop.id}/${what}`);
  expect(await at("file?path=src/only-next.ts&ref=next")).toMatchObject({ ref: "next", commit: nextCommit });
  expect(await at("file?path=src/only-next.ts")).toMatchObject({ error: "file_not_found" });
  const paths = async (query: string) => (await at(`tree${query}`)).files.map(({ path }: { path: string }) => path);
  expect(await paths("")).toEqual(["image.bin", "src/only-main.ts", "src/shipping.ts"]);
  expect(await paths("?ref=next")).toEqual(["image.bin", "src/only-next.ts", "src/shipping.ts"]);
  expect(await at("coverage?path=src/shipping.ts&ref=next")).toMatchObject({
    state: "indexed",
    chunks: 1,
    embedded: 1,
    commit: nextCommit,
  });
  expect(await at("coverage?path=image.bin")).toMatchObject({ state: "skipped", reason: expect.any(String), chunks: 0 });
  expect(await at("coverage?path=shipping.ts")).toMatchObject({ state: "absent", similar: ["src/shipping.ts"] });
  expect(await at("tree?ref=gone")).toMatchObject({ error: "ref_not_indexed" });
  expect(await at("tree?ref=a..b")).toMatchObject({ error: "invalid_request" });
});

test("a token of one repository finds nothing of another, also where both hold the same content", async () => {
  expect(await places("shipping", token)).toEqual(["acme/shop@main src/only-main.ts", "acme/shop@main src/shipping.ts"]);
  expect((await get("/api/v1/repos", token)).items.map(({ id }: { id: string }) => id)).toEqual([shop.id]);
  const { items } = await get("/api/v1/repos");
  const fork = items.find(({ full_name: name }: { full_name: string }) => name === "acme/fork");
  for (const what of [
    "",
    "/refs",
    "/tree",
    "/file?path=src/shipping.ts",
    "/outline?path=src/shipping.ts",
    "/coverage?path=src/shipping.ts",
  ]) {
    const answer = await get(`/api/v1/repos/${fork.id}${what}`, token);
    expect(answer).toEqual({ error: "repository_not_found", message: expect.not.stringContaining("fork") });
  }
});
