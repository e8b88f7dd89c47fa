import { strict as assert } from "node:assert";
import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { post, type Session } from "#identity-client.ts";
import { askAny, keepAsking } from "./asked.ts";
import { HOSTS } from "./hosts.ts";
import { networkOf } from "./network.ts";
import { start } from "./processes-on.ts";
import { admin, repository, sharedEnvironment, startProductOn } from "./product-on.ts";
import { startStores } from "./stores.ts";

/** What `run.ts` proves, on the host `client`. */
const COPIES = ["one", "two"];
const AGENTS = 2;
const TRACES_A_SECOND = 50;
const EVENTS_OF_A_TRACE = 4;
/** A lock that nothing else takes: any number. */
const LOCK = "7115";
const PATIENCE_MS = 600_000;

type Found = { readonly results: readonly { readonly repo: string }[] };
type Told = { readonly producer: string; readonly recorded: number; readonly last: number; readonly dropped: number };

const network = networkOf(process.argv[2] ?? "", HOSTS);
const services = execFileSync(join(repository, "tools/test-services.sh"), { encoding: "utf8" }).trim();
const stack = new AsyncDisposableStack();
try {
  await prove();
} finally {
  await stack.disposeAsync();
}

async function prove(): Promise<void> {
  const stores = await startStores(network, "stores", services);
  stack.defer(stores.end);
  const read = async <Row>(statement: string) => {
    const script = join(repository, "packages/foundation/testing/run-sql.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [script, stores.databaseUrl, statement]);
    return JSON.parse(stdout) as readonly Row[];
  };
  const count = async (from: string) => Number((await read<{ count: string }>(`select count(*) from ${from}`))[0]?.count);

  const shared = sharedEnvironment(stores);
  const first = await startProductOn(network, "first", shared);
  stack.defer(first.remove);
  stack.defer(first.end);
  const second = await startProductOn(network, "second", shared);
  stack.defer(second.remove);
  stack.defer(second.end);
  say("two hosts run every role, on stores of a third");

  const bases = ["first", "second"].map((host) => `http://${network.address(host)}:3000`);
  const [base = ""] = bases;
  const session = await post<Session>(`${base}/api/identity/login/access-token`, admin);
  const { id: project } = await post<{ id: string }>(`${base}/api/observability/api/v1/projects`, { name: "hosts" }, session);
  // A copy, as this one may get a commit meanwhile.
  const copy = await mkdtemp(join(tmpdir(), "sightline-hosts-"));
  stack.defer(() => rm(copy, { recursive: true, force: true }));
  await promisify(execFile)("git", ["clone", "--quiet", "--bare", repository, copy]);
  const register = (name: string) =>
    post(`${base}/api/code-index/api/v1/repos`, { full_name: `acme/${name}`, clone_url: `file://${copy}` }, session);
  const agents = Array.from({ length: AGENTS }, () => {
    const words = ["testing/produce.ts", stores.redisUrl, "observability:events", project, String(TRACES_A_SECOND)];
    const agent = start(
      [...network.on("agents"), process.execPath, ...words],
      { PATH: process.env["PATH"] },
      join(repository, "packages/sdk"),
    );
    stack.defer(agent.kill);
    return agent;
  });

  await register("zero");
  await until("the first repository is searchable", async () => (await count("codeindex.index_jobs where status = 'succeeded'")) === 1);
  const asking = keepAsking(
    () => askAny<Found>(bases, "/api/code-index/api/v1/search?query=lease+of+a+job+that+was+lost", session),
    ({ results }) => results.length > 0,
  );
  stack.defer(asking.stop);
  const listing = keepAsking(
    () => askAny<object>(bases, `/api/observability/api/v1/projects/${project}/traces`, session),
    () => true,
  );
  stack.defer(listing.stop);
  const expectAnswers = (while_: string) => {
    assert.deepEqual([...asking.failures(), ...listing.failures()], [], `no question fails while ${while_}`);
    say(
      `${while_}: ${asking.answers()} searches and ${listing.answers()} lists answered so far, the slowest since in ${asking.longestMs()} and ${listing.longestMs()} ms`,
    );
  };

  await Promise.all(COPIES.map(register));
  await until("the others are being indexed", async () => (await count("codeindex.index_jobs where status = 'running'")) === COPIES.length);
  await whileCut("first", 75_000);
  expectAnswers("a host was cut off for 75 s with a job and events in its hands");
  await until(
    "every repository is indexed",
    async () => (await count("codeindex.index_jobs where status = 'succeeded'")) >= COPIES.length + 1,
  );
  // One fault at a time: what is asked next may be asked of the other host alone.
  await until("each host answers again", async () => {
    const asked = await Promise.allSettled(
      bases.map((one) => askAny([one], `/api/observability/api/v1/projects/${project}/traces`, session)),
    );
    return asked.every(({ status }) => status === "fulfilled");
  });
  await whileSlow("second", 30_000);
  expectAnswers("a host's network was slow for 30 s");
  await whileCut("agents", 15_000);
  await whileCut("stores", 15_000);
  say(`the stores were cut off from everybody for 15 s: ${asking.failures().length + listing.failures().length} questions failed`);
  await until("questions are answered again", async () => {
    await delay(1_000);
    return asking.failures().length + listing.failures().length === 0;
  });
  const stored = await count("observability.traces");
  const holder = start(
    [...network.on("first"), process.execPath, join(repository, "packages/foundation/testing/hold-lock.ts"), stores.databaseUrl, LOCK],
    process.env,
    repository,
  );
  await holder.printed(/held/, 30_000);
  await network.cut("first");
  await Promise.all([first.kill(), holder.kill()]);
  const began = Date.now();
  await until("events are written on", async () => (await count("observability.traces")) > stored + TRACES_A_SECOND);
  say(`a host lost its power for good: events went on after ${Math.round((Date.now() - began) / 1000)} s`);
  await read(`select pg_advisory_lock(${LOCK})`);
  say(`what it had locked is free after ${Math.round((Date.now() - began) / 1000)} s`);
  expectAnswers("one of two hosts is gone");

  const told = await Promise.all(
    agents.map(async ({ child, output }) => {
      child.stdin?.end();
      await once(child, "exit");
      return JSON.parse(output()) as Told;
    }),
  );
  await expectEveryEvent(told, read, count);
  await expectWholeIndexes(read);
}

async function whileCut(host: string, milliseconds: number): Promise<void> {
  await network.cut(host);
  await delay(milliseconds);
  await network.heal(host);
}

async function whileSlow(host: string, milliseconds: number): Promise<void> {
  await network.slow(host);
  await delay(milliseconds);
  await network.quicken(host);
}

type Read = <Row>(statement: string) => Promise<readonly Row[]>;

/** Each number that an agent gave is one event in a table, or in a gap that was reported. */
async function expectEveryEvent(told: readonly Told[], read: Read, count: (from: string) => Promise<number>): Promise<void> {
  const halves = `(select start_event as event from observability.traces union all select end_event from observability.traces
    union all select start_event from observability.observations union all select end_event from observability.observations) as half where event is not null`;
  const given = told.reduce((sum, { last }) => sum + last, 0);
  const ofTraces = told.reduce((sum, { recorded }) => sum + recorded * EVENTS_OF_A_TRACE, 0);
  const numberOf = async (statement: string) => (await read<{ number: number }>(statement))[0]?.number ?? 0;
  const seenNow = () =>
    numberOf("select sum(upper(range) - lower(range))::integer as number from observability.producers, unnest(seen) as range");
  const lostNow = () => numberOf("select coalesce(sum(last_seq - first_seq + 1), 0)::integer as number from observability.ingest_gaps");
  await until("every event is there or reported", async () => (await seenNow()) + (await lostNow()) === given);
  const [stored, lost] = [await count(halves), await lostNow()];
  assert.equal(stored, await count(`(select distinct event from ${halves}) as each`), "no event is there twice");
  // What else has numbers are words about the agent itself, which may be among the lost.
  assert.ok(
    ofTraces - stored <= lost && ofTraces - stored >= lost - (given - ofTraces),
    `${stored} of ${ofTraces} are there, ${lost} lost`,
  );
  assert.deepEqual(
    told.map(({ dropped }) => dropped),
    told.map(() => 0),
    "no agent dropped one",
  );
  say(`${given} events of ${told.length} agents, ${ofTraces} of them of traces: ${stored} there, ${lost} lost and reported, none twice`);
}

/** The same repository has the same chunks under each of its names, and one build. */
async function expectWholeIndexes(read: Read): Promise<void> {
  const jobs = await read<{ status: string; attempt: number; count: string }>(
    "select status, attempt, count(*) from codeindex.index_jobs where ref is null or ref <> '' group by 1, 2 order by 1, 2",
  );
  say(`jobs: ${jobs.map(({ status, attempt, count }) => `${count} ${status} at attempt ${attempt}`).join(", ")}`);
  const chunks = await read<{ commit: string; files: string; chunks: string }>(
    `select branch.indexed_commit as commit, count(*) as files, sum(document.chunks) as chunks from codeindex.refs as branch
     join tenant_default.files as file on file.generation = branch.generation
     join tenant_default.documents as document on document.document_id = file.document_id group by branch.repo_id, branch.indexed_commit`,
  );
  assert.equal(chunks.length, COPIES.length + 1, "each repository has its index");
  assert.equal(new Set(chunks.map((row) => JSON.stringify(row))).size, 1, `none is split or doubled: ${JSON.stringify(chunks)}`);
  say(`${chunks.length} indexes of ${chunks[0]?.chunks} chunks each`);
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    assert.ok(Date.now() < deadline, `not within ${PATIENCE_MS / 1000} s: ${what}`);
    await delay(500);
  }
  say(what);
}

function say(line: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
}
