import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sweepTenant } from "#store/index/sweep.store.ts";
import { lockTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { startBuildFixture, type BuildFixture } from "#testing/build-fixture.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { readLogicalIndex } from "#testing/logical-index.ts";
import { chooseSegments, mergeSegments } from "./merge-segments.ts";

let fixture: BuildFixture;
let tenant: Tenant;
let source: GitRepository;
let repoId: string;

beforeEach(async () => {
  fixture = await startBuildFixture();
  tenant = await fixture.tenant("one");
  source = await createGitRepository();
  repoId = await fixture.register(tenant, "o/r", source.url);
});

afterEach(async () => {
  await fixture.stop();
  await source.remove();
});

async function segments(): Promise<readonly { chunks: number; dead: number }[]> {
  const { rows } = await sql<{ chunks: number; dead: number }>`
    select chunks, dead from ${sql.id(tenant.schema, "segments")} order by segment_id
  `.execute(fixture.database.query);
  return rows;
}

const index = (ref?: string) => readLogicalIndex(fixture.database, { tenant, repoId, ...(ref === undefined ? {} : { ref }) });

test("after many small changes their segments become one, and every branch sees what it saw", { timeout: 120_000 }, async () => {
  await source.commit({ "a.txt": "first\n", "b.txt": "kept\n" });
  await fixture.run({ tenant, repoId });
  source.git("branch", "release");
  await fixture.run({ tenant, repoId, ref: "release" });
  for (let change = 0; change < 6; change++) {
    await source.commit({ [`f${change}.txt`]: `change ${change}\n`, "a.txt": `a ${change}\n` });
    await fixture.run({ tenant, repoId });
  }
  expect(await segments()).toHaveLength(7);
  expect(await mergeSegments(fixture.database, tenant, 5)).toBe(true);
  await sweepTenant(fixture.database, tenant);
  // The release still holds what the first change replaced.
  expect(await segments()).toEqual([{ chunks: 9, dead: 0 }]);
  const release = await index("release");
  expect(release.chunks).toMatchObject([{ content: "first\n" }, { content: "kept\n" }]);
  expect(release.postings).toMatchObject({ first: [expect.stringContaining("a.txt:0")], kept: [expect.stringContaining("b.txt:0")] });
  const anew = await fixture.tenant("two");
  const fresh = await fixture.register(anew, "o/r", source.url);
  await fixture.run({ tenant: anew, repoId: fresh });
  expect(await index()).toEqual(await readLogicalIndex(fixture.database, { tenant: anew, repoId: fresh }));
});

test("a segment that is mostly dead is emptied and goes", async () => {
  const files = Object.fromEntries(Array.from({ length: 9 }, (_, file) => [`f${file}.txt`, `text of ${file}\n`]));
  await source.commit(files);
  await fixture.run({ tenant, repoId });
  await source.commit(
    Object.fromEntries(
      Object.keys(files)
        .slice(0, 6)
        .map((path) => [path, `new ${path}\n`]),
    ),
  );
  await fixture.run({ tenant, repoId });
  expect(await segments()).toEqual([
    { chunks: 6, dead: 0 },
    { chunks: 3, dead: 0 },
  ]);
  const again = await fixture.tenant("two");
  const fresh = await fixture.register(again, "o/r", source.url);
  await fixture.run({ tenant: again, repoId: fresh });
  expect(await index()).toEqual(await readLogicalIndex(fixture.database, { tenant: again, repoId: fresh }));
});

test("a merge that is overtaken by a deletion changes nothing", needsRealPostgres, async () => {
  await source.commit({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
  await fixture.run({ tenant, repoId });
  const { database } = fixture;
  await sql`update ${sql.id(tenant.schema, "segments")} set dead = 2`.execute(database.query);
  const before = await index();
  const deleting = database.query.transaction().execute(async (transaction) => {
    await lockTenant(transaction, tenant, "alone");
    // The merge has read the chunks by now, or reads them before this ends; either way it must not bring one back.
    await sql`select pg_sleep(0.5)`.execute(transaction);
    await sql`delete from ${sql.id(tenant.schema, "code_chunks")} where path = 'b.txt'`.execute(transaction);
  });
  const [merged] = await Promise.all([mergeSegments(database, tenant), deleting]);
  expect(merged).toBe(false);
  expect((await segments()).length).toBe(1);
  expect(before.chunks).toHaveLength(3);
});

test("small segments are merged up to a bound, the smallest first, and large ones left alone until they are mostly dead", () => {
  const small = (count: number, alive: number) =>
    Array.from({ length: count }, (_, number) => ({ segment_id: alive * 1_000 + number, alive, dead: 0 }));
  expect(chooseSegments(small(32, 5))).toEqual([]);
  expect(chooseSegments(small(40, 5))).toHaveLength(40);
  expect(chooseSegments([...small(3, 5), ...small(40, 900)])).toHaveLength(5);
  expect(chooseSegments(small(90, 15_000))).toEqual([]);
  expect(chooseSegments([...small(2, 5), { segment_id: 7, alive: 4_000, dead: 4_001 }])).toEqual([7]);
});
