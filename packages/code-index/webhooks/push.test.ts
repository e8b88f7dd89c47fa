import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Repository } from "#contract.ts";
import { listBranches } from "#git/branches.ts";
import { systemClock } from "@sightline/foundation/clock";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { startCodeIndex, WEBHOOK_SECRET, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";
import { hmac } from "#testing/webhook-server.ts";
import { createPoll } from "#webhooks/poll.ts";

let running: RunningCodeIndex;
let token: string;

beforeAll(async () => {
  running = await startCodeIndex();
  token = await running.createToken();
});

afterAll(() => running.stop());

type Told = { readonly ref?: string; readonly before?: string; readonly after: string; readonly default_branch?: string };

async function tell(fullName: string, { ref = "refs/heads/main", ...rest }: Told): Promise<void> {
  const payload = JSON.stringify({ full_name: fullName, ref, ...rest });
  const headers = {
    "content-type": "application/json",
    "x-delivery-id": randomUUID(),
    "x-signature-256": `sha256=${hmac(payload, WEBHOOK_SECRET)}`,
  };
  const answer = await running.server.inject({ method: "POST", url: "/api/v1/ingest/webhook", headers, payload });
  expect(answer.statusCode).toBe(202);
}

async function search(repo: string, query: string, ref?: string): Promise<readonly { content: string; commit: string }[]> {
  const answer = await running.server.inject({
    method: "POST",
    url: "/api/v1/search",
    headers: { authorization: `Bearer ${token}` },
    payload: { repo, query, ...(ref === undefined ? {} : { ref }) },
  });
  const { results = [] } = answer.json<{ results?: readonly { content: string; commit: string }[] }>();
  return results.filter(({ content }) => content.includes(query));
}

async function repositoryOf({ id }: Indexed): Promise<Repository> {
  return (await running.server.inject({ url: `/api/v1/repos/${id}`, headers: running.asAdmin() })).json();
}

async function expectIndexed(indexed: Indexed, commit: string): Promise<void> {
  await vi.waitFor(
    async () => expect(await repositoryOf(indexed)).toMatchObject({ indexed_commit: commit, behind: 0, index_status: "ready" }),
    {
      timeout: 20_000,
      interval: 50,
    },
  );
}

async function setBranches({ id }: Indexed, branches: readonly string[]): Promise<void> {
  await running.database.query.updateTable("codeindex.repositories").set({ branches }).where("id", "=", id).execute();
}

/** The checked-out branch is what others see as the default one. */
async function commitOnNext({ source }: Indexed, word: string): Promise<string> {
  source.git("checkout", "--quiet", "-b", "next");
  const commit = await source.commit({ "b.ts": `export const ${word} = 1;\n` });
  source.git("checkout", "--quiet", "main");
  return commit;
}

const refsOf = async (indexed: Indexed) => (await repositoryOf(indexed)).refs.map(({ name, is_default: isDefault }) => [name, isDefault]);

test("a push whose predecessors were never told of brings the index to the newest commit", async () => {
  const indexed = await running.index("acme/lost", { "a.ts": "export const first = 1;\n" });
  await indexed.source.commit({ "b.ts": "export const neverToldOf = 1;\n" });
  const before = await indexed.source.commit({ "c.ts": "export const neverToldOfEither = 1;\n" });
  const after = await indexed.source.commit({ "d.ts": "export const toldOf = 1;\n" });
  await tell("acme/lost", { before, after });
  await expectIndexed(indexed, after);
  expect(await search("acme/lost", "neverToldOf")).toHaveLength(2);
  expect(await search("acme/lost", "toldOf")).toHaveLength(1);
});

test("a force push replaces what was indexed", async () => {
  const indexed = await running.index("acme/forced", { "a.ts": "export const first = 1;\n" });
  const gone = await indexed.source.commit({ "b.ts": "export const takenBack = 1;\n" });
  await tell("acme/forced", { after: gone });
  await expectIndexed(indexed, gone);
  indexed.source.git("reset", "--quiet", "--hard", indexed.commit);
  const after = await indexed.source.commit({ "c.ts": "export const instead = 1;\n" });
  await tell("acme/forced", { before: gone, after });
  await expectIndexed(indexed, after);
  expect(await search("acme/forced", "takenBack")).toEqual([]);
  expect(await search("acme/forced", "instead")).toHaveLength(1);
});

test("a branch that is wanted is indexed by its first push, and taken out of the searches when it is deleted", async () => {
  const indexed = await running.index("acme/branches", { "a.ts": "export const first = 1;\n" });
  await setBranches(indexed, ["next"]);
  const after = await commitOnNext(indexed, "onlyNext");
  await tell("acme/branches", { ref: "refs/heads/next", after });
  await expect.poll(() => search("acme/branches", "onlyNext", "next"), { timeout: 20_000 }).toHaveLength(1);
  expect(await search("acme/branches", "onlyNext")).toEqual([]);
  indexed.source.git("branch", "--quiet", "-D", "next");
  await tell("acme/branches", { ref: "refs/heads/next", before: after, after: "0".repeat(40) });
  await expect.poll(() => refsOf(indexed), { timeout: 20_000 }).toEqual([["main", true]]);
  await expectIndexed(indexed, indexed.commit);
});

test("a branch that somebody wrongly says is deleted stays", async () => {
  const indexed = await running.index("acme/kept", { "a.ts": "export const first = 1;\n" });
  await setBranches(indexed, ["next"]);
  const after = await commitOnNext(indexed, "keptOnNext");
  await tell("acme/kept", { ref: "refs/heads/next", after });
  await expect.poll(() => search("acme/kept", "keptOnNext", "next"), { timeout: 20_000 }).toHaveLength(1);
  await tell("acme/kept", { ref: "refs/heads/next", before: after, after: "0".repeat(40) });
  const jobs = running.database.query.selectFrom("codeindex.index_jobs").select("status").where("repo_id", "=", indexed.id);
  await expect.poll(async () => (await jobs.execute()).every(({ status }) => status === "succeeded"), { timeout: 20_000 }).toBe(true);
  expect(await search("acme/kept", "keptOnNext", "next")).toHaveLength(1);
});

test("another default branch takes the place of the one before with its first push", async () => {
  const indexed = await running.index("acme/renamed", { "a.ts": "export const first = 1;\n" });
  for (let pushes = 0; pushes < 3; pushes += 1) {
    await tell("acme/renamed", { after: indexed.commit });
  }
  await expectIndexed(indexed, indexed.commit);
  indexed.source.git("branch", "--quiet", "--move", "main", "trunk");
  const after = await indexed.source.commit({ "b.ts": "export const onTrunk = 1;\n" });
  await tell("acme/renamed", { ref: "refs/heads/trunk", before: indexed.commit, after, default_branch: "trunk" });
  await expectIndexed(indexed, after);
  expect(await repositoryOf(indexed)).toMatchObject({ default_branch: "trunk", refs: [{ name: "trunk", is_default: true, behind: 0 }] });
  expect(await search("acme/renamed", "onTrunk")).toHaveLength(1);
});

test("a push that arrives while its branch is indexed counts until it is searchable", async () => {
  const indexed = await running.index("acme/busy", { "a.ts": "export const first = 1;\n" });
  const commits = [];
  for (let number = 0; number < 6; number += 1) {
    const after = await indexed.source.commit({ [`f${number}.ts`]: `export const pushed${number} = 1;\n` });
    commits.push(after);
    await tell("acme/busy", { after });
  }
  await expectIndexed(indexed, commits.at(-1) ?? "");
  const [ref] = await running.database.query.selectFrom("codeindex.refs").selectAll().where("repo_id", "=", indexed.id).execute();
  expect(ref).toMatchObject({ pushes_received: 6, pushes_indexed: 6, head_commit: commits.at(-1) });
});

test("a poll finds a push, a deleted branch and another default branch that nobody told of", async () => {
  const indexed = await running.index("acme/polled", { "a.ts": "export const first = 1;\n" });
  await setBranches(indexed, ["next"]);
  indexed.source.git("branch", "--quiet", "next");
  const poll = createPoll({
    database: running.database,
    log: silentLog,
    clock: systemClock,
    everyMinutes: 10,
    listBranches: ({ clone_url: cloneUrl }, signal) => listBranches({ cloneUrl, allowFileUrls: true }, { signal }),
  });
  const pollNow = async () => {
    await running.database.query.updateTable("codeindex.repositories").set({ polled_at: null }).where("id", "=", indexed.id).execute();
    while (await poll(new AbortController().signal)) {
      // Until nothing is due.
    }
  };
  const after = await indexed.source.commit({ "b.ts": "export const foundByPoll = 1;\n" });
  await pollNow();
  await expectIndexed(indexed, after);
  await expect
    .poll(() => refsOf(indexed), { timeout: 20_000 })
    .toEqual([
      ["main", true],
      ["next", false],
    ]);
  expect(await search("acme/polled", "foundByPoll")).toHaveLength(1);
  indexed.source.git("branch", "--quiet", "-D", "next");
  indexed.source.git("branch", "--quiet", "--move", "main", "trunk");
  await pollNow();
  await expect.poll(() => refsOf(indexed), { timeout: 20_000 }).toEqual([["trunk", true]]);
});
