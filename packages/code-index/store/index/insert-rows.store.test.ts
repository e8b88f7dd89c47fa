import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TenantSchema } from "#store/tenancy/tenant.ts";
import { startBuildFixture, type BuildFixture } from "#testing/build-fixture.ts";
import { insertRows } from "./insert-rows.store.ts";

let fixture: BuildFixture;
beforeAll(async () => {
  fixture = await startBuildFixture();
});
afterAll(() => fixture.stop());

async function readAll(schema: TenantSchema, table: string, columns: string): Promise<readonly object[]> {
  const { rows } = await sql<object>`select ${sql.raw(columns)} from ${sql.id(schema, table)} order by 1`.execute(fixture.database.query);
  return rows;
}

const ODD = ["", " ", "null", "NULL", "a,b", "{}", '"', "\\", '\\"', "'", "$1", "line\nend", "größe", "日本語", "\u{1D400}"];

test("any text is written as it is, alone and in an array", async () => {
  const { schema } = await fixture.tenant("rows");
  const { query } = fixture.database;
  const symbols = ODD.map((name, line) => ({ document_id: 2 ** 40, name, kind: "function", start_line: line, end_line: -1, scope: name }));
  const columns = "document_id bigint, name text, kind text, start_line integer, end_line integer, scope text";
  await insertRows(query, schema, { table: "symbols", columns, rows: symbols });
  const names = [ODD, [], [ODD.join("")]].map((some, index) => ({ document_id: index, names: some }));
  await insertRows(query, schema, { table: "symbol_references", columns: "document_id bigint, names text[]", rows: names });
  expect(await readAll(schema, "symbols", "start_line, document_id, name, kind, end_line, scope")).toEqual(symbols);
  expect(await readAll(schema, "symbol_references", "document_id, names")).toEqual(names);
});

test("what a row does not have is null", async () => {
  const { schema } = await fixture.tenant("gaps");
  const { query } = fixture.database;
  const documents = [
    { blob: "1", path: "a", splitter: 1, language: "text", bytes: 2 ** 40, lines: 0, chunks: 0, skip_reason: null },
    { blob: "2", path: "b", splitter: 1, language: "text", bytes: 1, lines: 0, chunks: 0, skip_reason: undefined },
    { blob: "3", path: "c", splitter: 1, language: "text", bytes: 1, lines: 0, chunks: 0, skip_reason: "too large" },
  ];
  const columns = "blob text, path text, language text, bytes bigint, lines integer, chunks integer, skip_reason text";
  await insertRows(query, schema, { table: "documents", columns, same: { splitter: 1 }, rows: documents });
  expect(await readAll(schema, "documents", "path, bytes, skip_reason, splitter")).toEqual([
    { path: "a", bytes: 2 ** 40, skip_reason: null, splitter: 1 },
    { path: "b", bytes: 1, skip_reason: null, splitter: 1 },
    { path: "c", bytes: 1, skip_reason: "too large", splitter: 1 },
  ]);
});
