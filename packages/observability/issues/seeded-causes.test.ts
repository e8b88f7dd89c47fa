import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v4 as uuidv4, v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { countAndFind } from "#testing/count-and-find.ts";
import { failingRun } from "#testing/failing-run.ts";
import { writeEvents } from "#testing/write-events.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const RELEASES = ["r1", "r2", "r3", "r4"];
const random = randomOf(SEED);
const pick = <Item>(items: readonly [Item, ...Item[]]): Item => items[Math.floor(random() * items.length)] ?? items[0];
const number = () => String(Math.floor(10 ** (random() * 7)));

/** What varies from one time to another, as applications write it. */
const VARIABLES = [
  number,
  () => uuidv4(),
  () => uuidv7(),
  () => `ord_${uuidv4().slice(0, 8)}`,
  () => `cust-${number()}`,
  () => `'${pick(["erika", "John O'Neill", "x", "a b c"])}'`,
  () => `"${pick(["late", "sent", "two words", "7"])}"`,
  () => `/var/${pick(["data", "lib"])}/${number()}/${pick(["x.json", "y.txt"])}`,
  () => new Date(NOON + random() * 1e10).toISOString(),
  () => `https://${pick(["a", "b"])}.example.org/v${number()}?id=${uuidv4()}`,
  () => `0x${Math.floor(random() * 1e9).toString(16)}`,
  () => `[${Array.from({ length: 1 + Math.floor(random() * 4) }, number).join(", ")}]`,
  () => JSON.stringify({ id: Number(number()), ...(random() < 0.5 ? { tags: ["a", "b"], note: null } : {}) }),
  () => `10.0.${Math.floor(random() * 255)}.7:${number()}`,
  () => pick(["3s", "12ms", "1.5s"]),
] as const;

type Cause = { readonly node: string; readonly tool: string; readonly function: string; readonly error: string };

/** Causes, decided before anything groups them: each with what tells it from its neighbours on the same line, in the same tool or with the same words. */
const CAUSES: readonly [Cause, ...Cause[]] = [
  { node: "lookup", tool: "find_order", function: "find_order", error: "ValueError: order # was not found" },
  { node: "lookup", tool: "find_order", function: "find_order", error: "ValueError: order # was sent already" },
  { node: "lookup", tool: "find_order", function: "find_order", error: "app.errors.TimeoutError: no answer for # within # s" },
  { node: "lookup", tool: "find_order", function: "load", error: "ValueError: order # was not found" },
  { node: "lookup", tool: "find_order", function: "find_order", error: "KeyError: 'amount'" },
  { node: "lookup", tool: "find_order", function: "find_order", error: "KeyError: 'currency'" },
  { node: "refund", tool: "find_order", function: "find_order", error: "ValueError: order # was not found" },
  { node: "refund", tool: "pay", function: "pay", error: "APIError: Error code: 429 - # for #" },
  { node: "refund", tool: "pay", function: "pay", error: "APIError: Error code: 503 - # for #" },
  { node: "refund", tool: "pay", function: "pay", error: "PermissionError: # may not pay #" },
  { node: "answer", tool: "write", function: "write", error: "Error: ENOENT: no such file, open #" },
  { node: "answer", tool: "write", function: "write", error: "Error: can't write #: # is too long" },
];

let database: TestDatabase<ObservabilitySchema>;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
afterAll(() => database.drop());

test(`seeded causes are the issues, over four releases that move their lines (TEST_SEED=${SEED})`, async () => {
  const projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  const producer = createProducer(projectId);
  const causeOf = new Map<string, number>();
  // What stands in a place of a message is always of one kind.
  const kinds = new Map(CAUSES.map(({ error }) => [error, [pick(VARIABLES), pick(VARIABLES)]]));
  const say = (error: string) => kinds.get(error)?.reduce((said, write) => said.replace("#", () => write()), error) ?? error;
  const events = RELEASES.flatMap((release, at) =>
    CAUSES.flatMap((cause, index) =>
      Array.from({ length: 6 }, (_, time) => {
        const traceId = uuidv7();
        causeOf.set(traceId, index);
        const error = say(cause.error);
        return failingRun(producer, {
          ...cause,
          traceId,
          error,
          release,
          commit: `${release}-commit`,
          // All causes of a function are on one line of each release.
          line: 10 + at * 7,
          at: new Date(NOON + at * 3_600_000 + time),
          ...(time % 3 === 0 ? { traceError: `NodeError: the node failed: ${error}` } : {}),
          ...(time % 2 === 0 ? { caughtBefore: say(pick(CAUSES).error) } : {}),
        });
      }).flat(),
    ),
  );
  await writeEvents(database, events);
  await countAndFind(database, projectId);
  const { rows } = await database.pool.query<{ trace_id: string; issue_id: string }>(
    "select trace_id, issue_id from observability.issue_traces",
  );
  expect(rows).toHaveLength(causeOf.size);
  const found = rows.map((row) => ({ cause: causeOf.get(row.trace_id), issue: row.issue_id }));
  const pairs = { same: 0, together: 0, right: 0 };
  for (const [at, one] of found.entries()) {
    for (const other of found.slice(at + 1)) {
      const [isSame, isTogether] = [one.cause === other.cause, one.issue === other.issue];
      pairs.same += Number(isSame);
      pairs.together += Number(isTogether);
      pairs.right += Number(isSame && isTogether);
    }
  }
  console.log(
    `${CAUSES.length} causes, ${rows.length} traces: precision ${pairs.right / pairs.together}, recall ${pairs.right / pairs.same}`,
  );
  expect(pairs.right / pairs.together, "precision").toBe(1);
  expect(pairs.right / pairs.same, "recall").toBeGreaterThanOrEqual(0.95);
});
