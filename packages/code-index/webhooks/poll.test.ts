import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import type { RemoteBranches } from "#git/branches.ts";
import { SourceError } from "#git/source-error.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import type { PolledRepository } from "./polls.store.ts";
import { ensureTenant } from "#store/tenancy/tenant.ts";
import { addRepository, commitOf } from "#testing/webhook-server.ts";
import { createPoll } from "./poll.ts";

let database: TestDatabase<CodeIndexTables>;
let now: Date;
let poll: ReturnType<typeof createPoll>;
let asked: string[];
let answer: (repository: PolledRepository) => RemoteBranches;

const clock = { now: () => now };
const MINUTE = 60_000;
const moved = { defaultBranch: "main", head: commitOf("b"), branches: [{ name: "main", commit: commitOf("b") }] };

beforeEach(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  await ensureTenant(database, { tenantId: "one", name: "one" });
  now = new Date("2026-01-01T00:00:00Z");
  asked = [];
  answer = () => moved;
  poll = newPoll();
});

afterEach(() => database.drop());

const { signal } = new AbortController();

/** As a process has it. */
const newPoll = () =>
  createPoll({
    database,
    log: silentLog,
    clock,
    everyMinutes: 10,
    listBranches: async (repository) => {
      asked.push(repository.full_name);
      return answer(repository);
    },
  });

/** Until nothing is due. */
async function pollAll(by = poll): Promise<void> {
  while (await by(signal)) {
    // What counts is in the tables.
  }
}

const jobs = () => database.query.selectFrom("codeindex.index_jobs").selectAll().orderBy("job_id").execute();
const errorOf = async (id: string) =>
  (await database.query.selectFrom("codeindex.repositories").select("last_error").where("id", "=", id).executeTakeFirstOrThrow())
    .last_error;

test("a push whose delivery was lost is found, once", async () => {
  const id = await addRepository(database);
  await pollAll();
  expect(await jobs()).toMatchObject([{ repo_id: id, trigger: "poll", mode: "incremental", ref: null, requested_commit: commitOf("b") }]);
  now = new Date(now.getTime() + 11 * MINUTE);
  await pollAll();
  expect(asked).toHaveLength(2);
  expect(await jobs()).toHaveLength(1);
});

test("a repository is asked for once a period, one that never was first", async () => {
  const older = await addRepository(database, { fullName: "acme/older" });
  await database.query
    .updateTable("codeindex.repositories")
    .set({ polled_at: new Date(now.getTime() - 60 * MINUTE) })
    .where("id", "=", older)
    .execute();
  await addRepository(database, { fullName: "acme/never" });
  await pollAll();
  await pollAll();
  expect(asked).toEqual(["acme/never", "acme/older"]);
  now = new Date(now.getTime() + 7 * MINUTE);
  await pollAll();
  expect(asked).toHaveLength(2);
});

test("many processes at once ask for each repository once", needsRealPostgres, async () => {
  const names = Array.from({ length: 12 }, (_, index) => `acme/r${index}`);
  for (const fullName of names) {
    await addRepository(database, { fullName });
  }
  await Promise.all(Array.from({ length: 6 }, () => pollAll(newPoll())));
  expect(asked.toSorted()).toEqual(names.toSorted());
  expect(await jobs()).toHaveLength(12);
});

test("a repository of which no index was asked for, or that is being deleted, is left alone", async () => {
  const pending = await addRepository(database);
  await database.query.updateTable("codeindex.repositories").set({ index_status: "pending" }).where("id", "=", pending).execute();
  const deleted = await addRepository(database, { fullName: "acme/deleted" });
  await database.query.updateTable("codeindex.repositories").set({ deleting_at: now }).where("id", "=", deleted).execute();
  await pollAll();
  expect(asked).toEqual([]);
});

test("a host that refuses is the repository's last error until it answers again, and then it is tried again", async () => {
  const id = await addRepository(database);
  answer = () => {
    throw new SourceError("Authentication failed for the repository", { transient: false, problem: "access_refused" });
  };
  await pollAll();
  expect(await errorOf(id)).toBe("The host can't be asked for new commits: Authentication failed for the repository");
  expect(await jobs()).toEqual([]);
  answer = () => moved;
  now = new Date(now.getTime() + 11 * MINUTE);
  await pollAll();
  expect(await errorOf(id)).toBeNull();
  expect(await jobs()).toHaveLength(1);
});

test("what a job said is not replaced by what a poll says", async () => {
  const id = await addRepository(database);
  await database.query.updateTable("codeindex.repositories").set({ last_error: "too large" }).where("id", "=", id).execute();
  await pollAll();
  answer = () => {
    throw new SourceError("denied", { transient: false, problem: "access_refused" });
  };
  now = new Date(now.getTime() + 11 * MINUTE);
  await pollAll();
  expect(await errorOf(id)).toBe("too large");
});

test("a host that is down is left alone for a growing while, other hosts are not", async () => {
  await addRepository(database, { fullName: "acme/a", cloneUrl: "https://down.example.org/acme/a.git" });
  await addRepository(database, { fullName: "acme/b", cloneUrl: "https://down.example.org/acme/b.git" });
  await addRepository(database, { fullName: "acme/c", cloneUrl: "https://up.example.org/acme/c.git" });
  answer = ({ host }) => {
    if (host === "down.example.org") {
      throw new SourceError("Could not resolve host", { transient: true });
    }
    return moved;
  };
  await pollAll();
  expect(asked.toSorted()).toEqual(["acme/a", "acme/c"]);
  now = new Date(now.getTime() + MINUTE);
  await pollAll();
  expect(asked).toHaveLength(3);
  now = new Date(now.getTime() + MINUTE / 3);
  await pollAll();
  expect(asked).toHaveLength(3);
});

test("pushes that were counted and never indexed are settled once nothing is missing", async () => {
  const id = await addRepository(database);
  await database.query.updateTable("codeindex.refs").set({ pushes_received: 3, pushes_indexed: 1 }).where("repo_id", "=", id).execute();
  answer = () => ({ ...moved, head: commitOf("0"), branches: [{ name: "main", commit: commitOf("0") }] });
  await pollAll();
  const [ref] = await database.query.selectFrom("codeindex.refs").selectAll().execute();
  expect(ref).toMatchObject({ pushes_received: 3, pushes_indexed: 3 });
});

test("a branch that is not wanted any more is taken out of the searches", async () => {
  const id = await addRepository(database);
  const branch = { ref_id: crypto.randomUUID(), repo_id: id, tenant_id: "one", name: "old", is_default: false };
  await database.query.insertInto("codeindex.refs").values(branch).execute();
  answer = () => ({ ...moved, head: commitOf("0"), branches: [{ name: "main", commit: commitOf("0") }] });
  await pollAll();
  expect(await database.query.selectFrom("codeindex.refs").select("name").execute()).toEqual([{ name: "main" }]);
});

test("a poll that is broken off leaves its repository for the next period", async () => {
  const id = await addRepository(database);
  const stopping = new AbortController();
  const hanging = createPoll({
    database,
    log: silentLog,
    clock,
    everyMinutes: 10,
    listBranches: async (_repository, given) => {
      stopping.abort(new Error("stopping"));
      given.throwIfAborted();
      return moved;
    },
  });
  await hanging(stopping.signal);
  expect({ jobs: await jobs(), error: await errorOf(id) }).toEqual({ jobs: [], error: null });
});
