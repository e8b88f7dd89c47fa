import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "#testing/test-database.ts";
import { foreignRevisions, migrateDown, migrateUp, migrationStatus, type MigrationSet } from "./migrations.ts";

let database: TestDatabase<unknown>;
let set: MigrationSet;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await database.drop();
});

beforeEach(async () => {
  set = { part: "shop", folder: await mkdtemp(join(tmpdir(), "migrations-")) };
  await addMigration("0001_orders", "create table orders (id int)", "drop table orders");
  await addMigration("0002_notes", "alter table orders add note text", "alter table orders drop note");
});

afterEach(async () => {
  await rm(set.folder, { recursive: true });
  await database.pool.query("drop table if exists orders; drop schema if exists sightline cascade");
});

test("a folder of files by subject is one revision, applied in the order of their names", async () => {
  const folder = join(set.folder, "0003_notes.up");
  await mkdir(folder);
  await writeFile(join(folder, "02_rename.sql"), "alter table orders rename remark to comment;");
  await writeFile(join(folder, "01_remark.sql"), "alter table orders add remark text; -- without an end of line");
  await writeFile(join(set.folder, "0003_notes.down.sql"), "alter table orders drop comment");

  expect(await migrateUp(database.pool, set)).toEqual(["0001_orders", "0002_notes", "0003_notes"]);
  expect(await columns()).toEqual(["id", "note", "comment"]);
  expect(await migrateDown(database.pool, set)).toBe("0003_notes");
  expect(await columns()).toEqual(["id", "note"]);

  await writeFile(join(folder, "03_more.sql"), "select 1");
  await migrateUp(database.pool, set);
  await writeFile(join(folder, "03_more.sql"), "select 2");
  await expect(migrateUp(database.pool, set)).rejects.toThrow("0003_notes of shop was applied by an unreleased version");
});

test("migrating up applies what is missing, in order, and nothing twice", async () => {
  expect(await migrateUp(database.pool, set)).toEqual(["0001_orders", "0002_notes"]);
  expect(await migrateUp(database.pool, set)).toEqual([]);
  await addMigration("0003_prices", "alter table orders add price int", "alter table orders drop price");
  expect(await migrateUp(database.pool, set)).toEqual(["0003_prices"]);
  expect(await columns()).toEqual(["id", "note", "price"]);
});

test("migrating down takes one revision back at a time", async () => {
  await migrateUp(database.pool, set);
  expect(await migrateDown(database.pool, set)).toBe("0002_notes");
  expect(await columns()).toEqual(["id"]);
  expect(await migrateDown(database.pool, set)).toBe("0001_orders");
  expect(await columns()).toEqual([]);
  expect(await migrateDown(database.pool, set)).toBeUndefined();
  expect(await migrateUp(database.pool, set)).toEqual(["0001_orders", "0002_notes"]);
});

test("the status tells applied revisions from open ones", async () => {
  await migrateUp(database.pool, set);
  await migrateDown(database.pool, set);
  expect(await migrationStatus(database.pool, set)).toEqual([
    { part: "shop", name: "0001_orders", appliedAt: expect.any(Date) },
    { part: "shop", name: "0002_notes", appliedAt: undefined },
  ]);
});

test("what a newer version applied is named, and stays until that version takes it back", async () => {
  await migrateUp(database.pool, set);
  expect(await foreignRevisions(database.pool, set)).toEqual([]);
  await database.pool.query(
    "insert into sightline.revisions (part, name, content) values ('shop', '0003_prices', 'x'), ('other', '0009_more', 'y')",
  );
  expect(await foreignRevisions(database.pool, set)).toEqual(["0003_prices"]);
  expect(await migrateUp(database.pool, set)).toEqual([]);
  await expect(migrateDown(database.pool, set)).rejects.toThrow("A newer version of Sightline applied 0003_prices of shop");
  expect(await columns()).toEqual(["id", "note"]);
});

describe("a database that another text of a revision made is refused, and nothing in it is touched:", () => {
  test.for([
    ["the first revision had another content", "update sightline.revisions set content = 'x' where name = '0001_orders'"],
    ["it has a revision among those known", "insert into sightline.revisions (part, name, content) values ('shop', '0001_older', 'x')"],
  ])("%s", async ([, statement = ""]) => {
    await migrateUp(database.pool, set);
    await database.pool.query(`insert into orders (id) values (7); ${statement}`);
    await addMigration("0003_prices", "alter table orders add price int", "alter table orders drop price");
    const before = await everything();
    for (const act of [migrateUp, migrateDown, migrationStatus, foreignRevisions]) {
      await expect(act(database.pool, set)).rejects.toThrow("was applied by an unreleased version of Sightline");
    }
    expect(await everything()).toEqual(before);
  });
});

test("a failing revision leaves nothing of itself behind and keeps those before it", async () => {
  await addMigration("0003_broken", "alter table orders add half int; select 1/0", "select 1");
  await expect(migrateUp(database.pool, set)).rejects.toThrow("division by zero");
  expect(await columns()).toEqual(["id", "note"]);
  expect((await migrationStatus(database.pool, set)).map(({ appliedAt }) => appliedAt !== undefined)).toEqual([true, true, false]);
});

test("a revision that refuses says what to do", async () => {
  const refusal = "do $$ begin raise exception 'There is no room' using hint = 'Make some.'; end $$";
  await addMigration("0003_room", refusal, "select 1");
  await expect(migrateUp(database.pool, set)).rejects.toThrow("There is no room. Make some.");
});

test("the revisions of two parts do not mix", async () => {
  await migrateUp(database.pool, set);
  expect(await migrateDown(database.pool, { ...set, part: "another" })).toBeUndefined();
});

test("five processes that migrate at once apply every revision once", needsRealPostgres, async () => {
  await addMigration("0003_slow", "select pg_sleep(0.1); insert into orders (id) values (1)", "delete from orders");
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrateUp(database.pool, set)));
  expect(applied.flat().toSorted()).toEqual(["0001_orders", "0002_notes", "0003_slow"]);
  expect((await database.pool.query("select id from orders")).rowCount).toBe(1);
});

async function addMigration(name: string, up: string, down: string): Promise<void> {
  await writeFile(join(set.folder, `${name}.up.sql`), up);
  await writeFile(join(set.folder, `${name}.down.sql`), down);
}

async function columns(): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ column_name: string }>(
    "select column_name from information_schema.columns where table_name = 'orders' order by ordinal_position",
  );
  return rows.map((row) => row.column_name);
}

/** Rows and columns, with the transactions that wrote them. */
async function everything(): Promise<readonly unknown[]> {
  const answers = await Promise.all(
    ["select xmin::text, * from orders", "select xmin::text, * from sightline.revisions order by name"].map((text) =>
      database.pool.query(text),
    ),
  );
  return [...answers.map(({ rows }) => rows), await columns()];
}
