import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { grepRequestSchema, type GrepAnswer, type GrepRequest } from "#contract.ts";
import { createIndexMemory } from "#retrieval/scope/index-memory.ts";
import { findTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";
import { createGrepLimit, grep } from "./grep.ts";

const FILES = 12;
const LINES = 5;
/** Longer than a chunk: the name stands where the first chunk of the line ends. */
const CUT = `${"a".repeat(1_590)}straddled_name_of_two_chunks${"b".repeat(1_700)}`;

let running: RunningCodeIndex;
let indexed: Indexed;
let tenant: Tenant;

beforeAll(async () => {
  running = await startCodeIndex();
  const many = Array.from({ length: FILES }, (_, file) => [`many/f${String(file).padStart(2, "0")}.txt`, "common word\n".repeat(LINES)]);
  indexed = await running.index("acme/many", { ...Object.fromEntries(many), "cut.txt": `before\n${CUT}\nstraddled_name_of_two_chunks\n` });
  tenant = (await findTenant(running.database, "one")) as Tenant;
}, 60_000);

afterAll(() => running.stop());

type Asked = Partial<GrepRequest> & { readonly pattern: string };

/** Asks a process that has no time to count more than one file with each call. */
function hurriedProcess() {
  const dependencies = { limit: createGrepLimit(), memory: createIndexMemory(), database: running.database };
  const limits = { lookMs: 3_000, countMs: 0 };
  return (asked: Asked): Promise<GrepAnswer> =>
    grep({ ...dependencies, limits }, { tenant }, grepRequestSchema.parse({ repo: "acme/many", limit: 3, ...asked }));
}

test("what a page has no room for is counted on with each call, until all is known", async () => {
  const ask = hurriedProcess();
  const first = await ask({ pattern: "common" });
  expect(first).toMatchObject({ matches: 3, total: null, partial: false });
  const totals: (number | null)[] = [];
  while (totals.at(-1) === undefined || totals.at(-1) === null) {
    const answer = await ask({ pattern: "common" });
    expect(answer.files).toEqual(first.files);
    totals.push(answer.total);
    expect(totals.length).toBeLessThan(FILES + 1);
  }
  expect(totals.at(-1)).toBe(FILES * LINES);
  // A later page knows it too, other filters are another count, and so is another process.
  expect((await ask({ pattern: "common", cursor: first.next_cursor ?? "" })).total).toBe(FILES * LINES);
  expect((await ask({ pattern: "common", path: "f0" })).total).toBeNull();
  expect((await hurriedProcess()({ pattern: "common" })).total).toBeNull();
});

test("a name that two chunks have a part of is found, once, beside the same in a line of its own", async () => {
  for (const asked of [{ pattern: "straddled_name_of_two_chunks" }, { pattern: "straddled_name.*two_chunks", regex: true }]) {
    const { files, total } = await hurriedProcess()(asked);
    expect(files.map(({ path, matches }) => [path, matches.map(({ line }) => line)])).toEqual([["cut.txt", [2, 3]]]);
    expect(total).toBe(2);
  }
});

test("a count is of the commit that is searched, whoever indexed it", async () => {
  const ask = hurriedProcess();
  let total: number | null = null;
  for (let calls = 0; total === null && calls < FILES + 2; calls++) {
    ({ total } = await ask({ pattern: "word" }));
  }
  expect(total).toBe(FILES * LINES);
  await indexed.source.commit({ "many/new.txt": "word\n" });
  await running.server.inject({ method: "POST", url: `/api/v1/repos/${indexed.id}/index`, headers: running.asAdmin(), payload: {} });
  const isThere = async () => expect((await hurriedProcess()({ pattern: "word", path: "new" })).total).toBe(1);
  await vi.waitFor(isThere, { timeout: 20_000 });
  const totals = new Set<number | null>();
  for (let calls = 0; calls < FILES + 3; calls++) {
    totals.add((await ask({ pattern: "word" })).total);
  }
  expect([...totals]).toEqual([null, FILES * LINES + 1]);
});
