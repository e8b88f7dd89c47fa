import { rm } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addCommits, beginHistory, showHistory } from "#store/index/commits.store.ts";
import { claimHistory, keepHistory } from "#indexing/history/history-queue.store.ts";
import { startHistoryFixture, type HistoryFixture } from "#testing/history-fixture.ts";

let history: HistoryFixture;

beforeAll(async () => {
  history = await startHistoryFixture();
});

afterAll(() => history.stop());

beforeEach(() => history.begin());

test("a branch's commits are listed as git lists them, with author, times, parents, message and paths", async () => {
  const first = await history.commit("Begin\n\nWith a body.\n\nOf two.", { "a.ts": "1\n", "lib/b.ts": "1\n" });
  const second = await history.commit(
    "fix: Wörter — 修正",
    { "lib/b.ts": "2\n" },
    "--author=Zoë Ünal <zoe@example.org>",
    "--date=2020-02-03T04:05:06Z",
  );
  await history.index();
  const answer = await history.commits();
  expect(answer.commits).toEqual([
    expect.objectContaining({
      repo: history.repo(),
      commit: second,
      parents: [first],
      subject: "fix: Wörter — 修正",
      author: "Zoë Ünal",
      paths: ["lib/b.ts"],
    }),
    expect.objectContaining({
      commit: first,
      parents: [],
      body: "With a body.\n\nOf two.",
      author_email: "test@example.org",
      paths_total: 2,
    }),
  ]);
  expect(answer.commits[0]).toMatchObject({ author_email: "zoe@example.org", authored_at: "2020-02-03T04:05:06.000Z" });
  expect(answer).toMatchObject({
    ref: "main",
    commit: second,
    depth: { commits: 2, complete: true, newest: second },
    notes: [],
    next_cursor: null,
  });
  const folder = join(history.fixture.tools.dataDir, "mirrors", history.repoId(), "history", "repository.git");
  const objects = history.source().git(`--git-dir=${folder}`, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)");
  expect(new Set(objects.split("\n"))).toEqual(new Set(["blob", "commit", "tree"]));
});

test("pushes come on top, and what a force push took away is gone", async () => {
  await history.commit("one", { "a.ts": "1\n" });
  await history.commit("two", { "a.ts": "2\n" });
  await history.index();
  await history.commit("three", { "a.ts": "3\n" });
  await history.index();
  expect(await history.subjects()).toEqual(["three", "two", "one"]);
  const { next_cursor: cursor } = await history.commits({ limit: 1 });
  history.source().git("reset", "--quiet", "--hard", "HEAD~2");
  await history.commit("other", { "a.ts": "4\n" });
  await history.index();
  expect(await history.subjects()).toEqual(["other", "one"]);
  expect(await history.subjects({ cursor: cursor ?? "" })).toEqual(["one"]);
  history.source().git("checkout", "--quiet", "--orphan", "new");
  await history.commit("unrelated", { "z.ts": "1\n" });
  history.source().git("branch", "--quiet", "--force", "main", "new");
  history.source().git("checkout", "--quiet", "main");
  await history.index();
  expect(await history.subjects()).toEqual(["unrelated"]);
  await expect(history.commits({ cursor: cursor ?? "" })).rejects.toMatchObject({
    code: "invalid_cursor",
    message: expect.stringContaining("rewritten"),
  });
});

test("only as many as wanted are kept, the newest, and the answer says that there are older ones", async () => {
  for (let number = 1; number <= 9; number++) {
    await history.commit(`change ${number}`, { "a.ts": `${number}\n` });
  }
  await history.index(4);
  expect(await history.subjects()).toEqual(["change 9", "change 8", "change 7", "change 6"]);
  expect(await history.commits()).toMatchObject({
    depth: { commits: 4, complete: false },
    notes: [expect.stringContaining("newest 4 commits")],
  });
  // A full page is not all there is, either.
  expect((await history.commits({ query: "change", limit: 2 })).notes.join()).toContain("newest 4 commits");
  await history.commit("change 10", { "b.ts": "1\n" });
  await history.index(4);
  expect(await history.subjects()).toEqual(["change 10", "change 9", "change 8", "change 7"]);
  // More are wanted: the older ones come below.
  await history.keep(100);
  expect(await history.subjects()).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((number) => `change ${number}`));
  expect((await history.commits()).depth.complete).toBe(true);
});

test("every branch has its own, and a branch or repository that is gone leaves nothing", async () => {
  await history.commit("on main", { "a.ts": "1\n" });
  history.source().git("checkout", "--quiet", "-b", "next");
  await history.commit("on next", { "a.ts": "2\n" });
  history.source().git("checkout", "--quiet", "main");
  await history.index();
  await history.index(100, "next");
  expect((await history.commits({}, { ref: "next" })).commits.map(({ subject }) => subject)).toEqual(["on next", "on main"]);
  expect(await history.subjects()).toEqual(["on main"]);
  history.source().git("branch", "--quiet", "-D", "next");
  await history.fixture.run({ tenant: history.tenant, repoId: history.repoId(), ref: "next" });
  await expect(history.commits({}, { ref: "next" })).rejects.toMatchObject({ code: "ref_not_indexed" });
  const { rows } = await sql<{ ref: string }>`
    select distinct ref from ${sql.id(history.tenant.schema, "commits")} where repo_id = ${history.repoId()}
  `.execute(history.fixture.database.query);
  expect(rows).toEqual([{ ref: "main" }]);
});

test("a host that fails is said to, later tried again, and what was fetched before stays", async () => {
  await history.commit("one", { "a.ts": "1\n" });
  await history.index();
  await history.commit("two", { "a.ts": "2\n" });
  await history.seed();
  await rm(join(history.source().directory, ".git", "objects"), { recursive: true });
  await history.keep();
  const answer = await history.commits();
  expect(answer.commits.map(({ subject }) => subject)).toEqual(["one"]);
  expect(answer.notes).toEqual([expect.stringContaining("The history ends at"), expect.stringContaining("could not be fetched")]);
  const later = { workerId: "w", depth: 100 };
  expect(await claimHistory(history.fixture.database, { ...later, now: new Date() })).toBeUndefined();
  expect(await claimHistory(history.fixture.database, { ...later, now: new Date(Date.now() + 120_000) })).toMatchObject({
    repoId: history.repoId(),
  });
});

test("before it was fetched the answer says so, and a broken folder is fetched anew", async () => {
  await history.commit("one", { "a.ts": "1\n" });
  await history.seed();
  expect(await history.commits()).toMatchObject({
    commits: [],
    depth: { commits: 0, newest: null },
    notes: [expect.stringContaining("not been fetched yet")],
  });
  await history.keep();
  const folder = join(history.fixture.tools.dataDir, "mirrors", history.repoId(), "history", "repository.git");
  await rm(join(folder, "objects", "pack"), { recursive: true });
  await history.commit("two", { "a.ts": "2\n" });
  await history.index();
  expect(await history.subjects()).toEqual(["two", "one"]);
});

test("a history whose indexer died is taken by another one after a minute, and only then", async () => {
  await history.commit("one", { "a.ts": "1\n" });
  await history.seed();
  const claim = (workerId: string, after: number) =>
    claimHistory(history.fixture.database, { workerId, depth: 100, now: new Date(Date.now() + after) });
  const dead = await claim("dead", 0);
  expect(dead).toMatchObject({ repoId: history.repoId(), ref: "main" });
  await sql`update codeindex.histories set not_before = 'infinity' where worker_id is null`.execute(history.fixture.database.query);
  expect(await claim("early", 30_000)).toBeUndefined();
  const [one, other] = await Promise.all([claim("one", 70_000), claim("other", 70_000)]);
  expect([one, other].filter((claimed) => claimed !== undefined)).toHaveLength(1);
  expect(dead === undefined || (await keepHistory(history.fixture.database, { ...dead, now: new Date() }))).toBe(false);
});

test("of two that write one history the later wins, and nobody sees half of it", async () => {
  await history.commit("one", { "a.ts": "1\n" });
  await history.index();
  const of = { tenant: history.tenant, repoId: history.repoId(), ref: "main" };
  const row = {
    parents: [],
    author: "A",
    author_email: "a@b",
    authored_at: "2024-01-01T00:00:00Z",
    committed_at: "2024-01-01T00:00:00Z",
    subject: "half",
    body: "",
    terms: ["half"],
    subject_terms: 1,
    paths: [],
    paths_total: 0,
    moved_to: [],
    moved_from: [],
    changes_total: 0,
  };
  const slow = await beginHistory(history.fixture.database, of);
  if (slow === undefined) {
    throw new Error("The branch is indexed.");
  }
  const position = slow.lastPosition + 1;
  await addCommits(history.fixture.database, slow.writer, { commits: [{ ...row, commit: "a".repeat(40), position }] });
  expect(await history.subjects()).toEqual(["one"]);
  const fast = await beginHistory(history.fixture.database, of);
  await expect(
    addCommits(history.fixture.database, slow.writer, { commits: [{ ...row, commit: "b".repeat(40), position: position + 1 }] }),
  ).rejects.toThrow("another indexer");
  const shown = { commit: null, complete: true, first: 1, last: position, gone: [], now: new Date() };
  await expect(showHistory(history.fixture.database, slow.writer, shown)).rejects.toThrow("another indexer");
  expect(fast?.known).toHaveLength(1);
  expect(await history.subjects()).toEqual(["one"]);
});
