import { silentLog } from "@sightline/foundation/testing/silent-log";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startHistoryFixture, type HistoryFixture } from "#testing/history-fixture.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { createSearchState, search } from "./search.ts";

let history: HistoryFixture;

beforeAll(async () => {
  history = await startHistoryFixture();
});

afterAll(() => history.stop());

beforeEach(() => history.begin());

const FILES = { "a.ts": "export const shared = 1;\n", "b.ts": "export const other = shared;\n" };

/** Has these files indexed at the branch's newest commit; its history is not fetched yet. */
async function seed(ref = "main"): Promise<string> {
  await history.seed(ref);
  const commit = history.source().git("rev-parse", ref);
  return (await seedBuild(history.fixture.database, { tenant: history.tenant, repo: history.repo(), ref, commit, files: FILES })).repoId;
}

type Asking = { readonly ref?: string; readonly repositories?: readonly string[] };

/** Which of the query's words the commits of each file that is found say. */
async function say(query: string, { ref, repositories }: Asking = {}): Promise<Readonly<Record<string, readonly string[] | undefined>>> {
  const { database } = history.fixture;
  const dependencies = { ...createSearchState(), database, embedder: undefined, log: silentLog };
  const repo = repositories === undefined ? history.repo() : undefined;
  const { results } = await search(dependencies, { tenant: history.tenant, repositories }, { query, repo, ref, limit: 10, explain: true });
  return Object.fromEntries(results.map(({ path, explain }) => [path, explain?.commits_say.toSorted()]));
}

test("a file is known by the subjects of its newest commits, by branch, and by nothing before its history is here", async () => {
  await history.commit("Retry after a timeout\n\nThe body speaks of sockets.", { "a.ts": "1\n" });
  await history.commit("Reformat", Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`${index || "b"}.ts`, "1\n"])));
  await seed();
  const query = "shared timeouts when retrying sockets, reformat";
  expect(await say(query)).toEqual({ "a.ts": [], "b.ts": [] });
  await history.keep();
  expect(await say(query)).toEqual({ "a.ts": ["retrying", "timeouts"], "b.ts": [] });

  history.source().git("checkout", "--quiet", "-b", "next");
  await history.commit("Sockets", { "a.ts": "2\n" });
  await seed("next");
  await history.keep();
  expect(await say(query, { ref: "next" })).toEqual({ "a.ts": ["retrying", "sockets", "timeouts"], "b.ts": [] });
  expect(await say(query)).toEqual({ "a.ts": ["retrying", "timeouts"], "b.ts": [] });
});

test("a push adds its words, and those of commits that a force push took away are gone", async () => {
  await history.commit("Begin", { "a.ts": "1\n" });
  await history.commit("Retry", { "a.ts": "2\n" });
  await seed();
  await history.keep();
  await history.commit("Timeout", { "b.ts": "1\n" });
  await seed();
  await history.keep();
  expect(await say("shared retry timeout")).toEqual({ "a.ts": ["retry"], "b.ts": ["timeout"] });
  history.source().git("reset", "--quiet", "--hard", "HEAD~2");
  await history.commit("Socket", { "b.ts": "3\n" });
  await seed();
  await history.keep();
  expect(await say("shared retry timeout socket")).toEqual({ "a.ts": [], "b.ts": ["socket"] });
});

test("who may see one of two repositories with the same file learns nothing of the other's commits", async () => {
  await history.commit("Secret merger", { "a.ts": "1\n" });
  const hidden = await seed();
  await history.keep();
  await history.begin();
  await history.commit("Retry", { "a.ts": "1\n" });
  const seen = await seed();
  await history.keep();
  const query = "shared secret merger retry";
  expect(await say(query, { repositories: [seen] })).toMatchObject({ "a.ts": ["retry"] });
  expect(await say(query, { repositories: [hidden] })).toMatchObject({ "a.ts": ["merger", "secret"] });
});
