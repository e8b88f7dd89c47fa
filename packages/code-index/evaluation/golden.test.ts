import { readFile } from "node:fs/promises";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createQueryEmbedder } from "#embedding/query-embedder.ts";
import { readChunks } from "#retrieval/scope/read-chunks.store.ts";
import { createSearchState, search } from "#retrieval/search/search.ts";
import { readAs, type Tenant } from "#store/tenancy/tenant.ts";
import { startBuildFixture, type BuildFixture } from "#testing/build-fixture.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";

/** Each with the file that a person would want first. */
const QUERIES: readonly (readonly [query: string, wanted: string])[] = [
  // What it does
  ["where are expired sessions removed", "server/session-store.ts"],
  ["compare passwords in constant time", "server/password.ts"],
  ["limit how often somebody can guess a password", "server/throttle.ts"],
  ["shortest path between two depots", "routing/route.go"],
  ["distance over the ground in kilometres", "routing/route.go"],
  ["retry when the mail server is down", "billing/reminders.py"],
  ["customers whose invoice is overdue", "billing/reminders.py"],
  ["total with value-added tax", "billing/invoice.py"],
  ["parse what a scanner sent", "tracking/src/scan.rs"],
  ["an older scan must not replace a newer one", "tracking/src/lib.rs"],
  ["print a barcode on a label", "labels/src/main/java/kite/labels/LabelPrinter.java"],
  ["leave out the country of an address", "labels/src/main/java/kite/labels/Address.java"],
  ["forget the oldest value when the buffer is full", "sensors/ring_buffer.h"],
  ["average temperature is too high", "sensors/temperature.cpp"],
  ["how does a user log in", "server/login.ts"],
  // Names
  ["SessionStore", "server/session-store.ts"],
  ["removeExpired", "server/session-store.ts"],
  ["verifyPassword", "server/password.ts"],
  ["TooManyAttemptsError", "server/throttle.ts"],
  ["ShortestPath", "routing/route.go"],
  ["greatCircle", "routing/route.go"],
  ["send_reminders", "billing/reminders.py"],
  ["Invoice", "billing/invoice.py"],
  ["Tracker", "tracking/src/lib.rs"],
  ["LabelPrinter", "labels/src/main/java/kite/labels/LabelPrinter.java"],
  ["RingBuffer::Push", "sensors/ring_buffer.h"],
  ["logIn()", "server/login.ts"],
  // Names as words
  ["load hash", "server/accounts.ts"],
  ["ring buffer", "sensors/ring_buffer.h"],
  ["label printer", "labels/src/main/java/kite/labels/LabelPrinter.java"],
  ["render invoice", "billing/invoice.py"],
  ["is too warm for medicine", "sensors/temperature.cpp"],
  // Messages, texts and paths
  ["no route between the depots", "routing/route.go"],
  ['"invalid credentials"', "server/login.ts"],
  ["too many attempts for ada; try again later", "server/throttle.ts"],
  ["WIDTH_DOTS", "labels/src/main/java/kite/labels/LabelPrinter.java"],
  ["ScanError::BadTimestamp", "tracking/src/scan.rs"],
  ["routing/route.go", "routing/route.go"],
  // Other kinds of files, when they are asked for
  ["test that an expired session is not found", "server/session-store.test.ts"],
  ["documentation of sessions", "docs/sessions.md"],
  ["example of a login", "examples/log-in.ts"],
  ["lifetime_minutes", "config/limits.yaml"],
];

let fixture: BuildFixture;
let tenant: Tenant;
let source: GitRepository;

beforeAll(async () => {
  const corpus = await readFile(new URL("golden-corpus.txt", import.meta.url), "utf8");
  const files = corpus
    .split(/^=== /m)
    .slice(1)
    .map((file) => [file.slice(0, file.indexOf("\n")), file.slice(file.indexOf("\n") + 1)]);
  fixture = await startBuildFixture();
  tenant = await fixture.tenant("golden");
  source = await createGitRepository();
  await source.commit(Object.fromEntries(files));
  await fixture.run({ tenant, repoId: await fixture.register(tenant, "kite/parcels", source.url) });
});

afterAll(async () => {
  await fixture.stop();
  await source.remove();
});

test("of the names that a place defines its types are told", async () => {
  const types = await readAs(fixture.database, tenant, 5_000, async (transaction) => {
    const { rows } = await sql<{ id: number }>`
      select chunk_id as id from ${sql.id(tenant.schema, "code_chunks")} where path = 'routing/route.go'
    `.execute(transaction);
    return readChunks(
      transaction,
      { tenant },
      rows.map(({ id }) => id),
      { typesOf: "" },
    );
  });
  expect(types.flatMap((chunk) => chunk.types).toSorted()).toEqual(["Depot", "Planner", "edge"]);
});

/** After a change of the ranking: look at the difference that `npx vitest run --update=all golden` makes. */
test("the golden queries are answered in the order that is committed", async () => {
  const embedder = createQueryEmbedder({ config: { CODEINDEX_EMBEDDER: "hash" }, log: silentLog });
  const lines: string[] = [];
  const ranks: number[] = [];
  for (const [query, wanted] of QUERIES) {
    const { results } = await search(
      { ...createSearchState(), database: fixture.database, embedder, log: silentLog },
      { tenant },
      { query, limit: 10 },
    );
    const files = [...new Set(results.map(({ path }) => path))];
    const place = files.indexOf(wanted) + 1;
    ranks.push(place);
    lines.push(
      `${query}\n  ${wanted}: ${place === 0 ? "not found" : place}`,
      ...files.slice(0, 3).map((path, index) => `    ${index + 1} ${path}`),
    );
  }
  const first = ranks.filter((place) => place === 1).length;
  await expect(`${first} of ${QUERIES.length} first\n\n${lines.join("\n")}\n`).toMatchFileSnapshot("golden-ranks.txt");
});
