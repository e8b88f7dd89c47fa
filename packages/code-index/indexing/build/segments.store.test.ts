import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sweepTenant } from "#store/index/sweep.store.ts";
import { withinTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { startBuildFixture, type BuildFixture } from "#testing/build-fixture.ts";
import { insertPostings } from "./segments.store.ts";

let fixture: BuildFixture;
let tenant: Tenant;
beforeAll(async () => {
  fixture = await startBuildFixture();
  tenant = await fixture.tenant("segments");
});
afterAll(() => fixture.stop());

const postings = [{ term: "held", df: 1, docs: Buffer.of(0, 1, 0) }];
/** Longer than it takes to delete a segment that nobody holds. */
const HELD_MS = 500;

/** Adds a segment that the next sweep deletes, and returns its id. */
async function deadSegment(): Promise<number> {
  const { segment_id: segmentId } = await fixture.database.query
    .withSchema(tenant.schema)
    .insertInto("segments")
    .values({ generation: 0, chunks: 0, complete: true })
    .returning("segment_id")
    .executeTakeFirstOrThrow();
  return segmentId;
}

async function countRows(table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.id(tenant.schema, table)}`.execute(
    fixture.database.query,
  );
  return rows[0]?.count ?? -1;
}

test("postings that are being written when their segment is deleted go with it", async () => {
  const segmentId = await deadSegment();
  const held = Promise.withResolvers<undefined>();
  const writing = withinTenant(fixture.database, tenant, {}, async (transaction) => {
    await insertPostings(transaction, tenant, { segmentId, postings });
    held.resolve(undefined);
    await delay(HELD_MS);
  });
  await held.promise;
  await Promise.all([writing, sweepTenant(fixture.database, tenant)]);
  expect([await countRows("segments"), await countRows("postings")]).toEqual([0, 0]);
});

test("postings of a segment that is gone are refused", async () => {
  const segmentId = await deadSegment();
  await sweepTenant(fixture.database, tenant);
  await expect(
    withinTenant(fixture.database, tenant, {}, (transaction) => insertPostings(transaction, tenant, { segmentId, postings })),
  ).rejects.toThrow("swept");
  expect(await countRows("postings")).toBe(0);
});
