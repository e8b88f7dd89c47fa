import { existsSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { CapturedRepository } from "./capture.ts";
import { captureRepository } from "./capture-repository.ts";
import { nameOf } from "./git.ts";
import { halves, printTables } from "./print-tables.ts";
import { replay } from "./replay.ts";
import { tune } from "./tune.ts";

/**
 * `npm run eval -- [--queries 40] [--captured FILE] [--tune] repository …`: how well searches answer queries made of the repositories. What
 * the legs find is kept in the file, and taken from there for the repositories that it has.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { queries: { type: "string", default: "40" }, captured: { type: "string" }, tune: { type: "boolean", default: false } },
});

const server = process.env["TEST_DATABASE_URL"] ?? "";
const file = values.captured;
const known = file !== undefined && existsSync(file) ? readCaptured(await readFile(file, "utf8")) : [];
const missing = positionals.filter((path) => !known.some(({ name }) => name === nameOf(path)));
if ((missing.length > 0 && server === "") || positionals.length + known.length === 0) {
  console.error("Give TEST_DATABASE_URL, a PostgreSQL with pgvector, and the folders of git repositories.");
  process.exit(1);
}
const captured = [...known];
for (const path of missing) {
  const repository = await captureRepository({ server, path, count: Number(values.queries) });
  captured.push(repository);
  if (file !== undefined) {
    await appendFile(file, `${JSON.stringify(repository)}\n`);
  }
}
if (values.tune) {
  tune(halves(captured).tuned.flatMap(replay));
} else {
  printTables(captured);
}

function readCaptured(text: string): readonly CapturedRepository[] {
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as CapturedRepository]));
}
