import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createOddDatabase, needsRealPostgres, type TestDatabase } from "#testing/test-database.ts";
import { foldCase, isAlike, isAlikeAny } from "./fold-case.ts";

let database: TestDatabase<unknown>;

beforeAll(async () => {
  database = await createOddDatabase({});
  await sql`create table kept (value text not null)`.execute(database.query);
  await sql`insert into kept values ('INSTALL'), ('install'), ('ÖLÇÜ'), ('ölçü'), ('other')`.execute(database.query);
  await sql`create index kept_folded on kept (${foldCase(sql`value`)} text_pattern_ops)`.execute(database.query);
});
afterAll(() => database.drop());

test.each([
  ["equal", () => sql`${foldCase(sql`value`)} = ${foldCase("Install")}`, 2],
  ["alike", () => isAlike(sql`value`, "In%"), 2],
  ["beyond ASCII", () => isAlike(sql`value`, "ÖL%"), 2],
  ["like one of several", () => isAlikeAny(sql`value`, ["%STALL", "%çü", "none"]), 4],
])("in a Turkish database a text is found in either case: %s", needsRealPostgres, async (_name, isMeant, count) => {
  const { rows } = await sql`select from kept where ${isMeant()}`.execute(database.query);
  expect(rows).toHaveLength(count);
});

test("an index of the expression serves it", needsRealPostgres, async () => {
  const plan = await database.query.transaction().execute(async (transaction) => {
    await sql`set local enable_seqscan = off`.execute(transaction);
    return (await sql`explain select from kept where ${isAlike(sql`value`, "INST%")}`.execute(transaction)).rows;
  });
  expect(JSON.stringify(plan)).toMatch(/Index Cond: .*~>=~ 'inst'/);
});
