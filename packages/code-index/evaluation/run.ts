import { existsSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { readConfig } from "@sightline/foundation/config";
import { embedderVariables } from "#config.ts";
import type { CapturedRepository } from "./capture.ts";
import { captureRepository, modelOf } from "./capture-repository.ts";
import { nameOf } from "./git.ts";
import { halves, printTables } from "./print-tables.ts";
import { replay } from "./replay.ts";
import { tune } from "./tune.ts";

const HELP = `npm run eval -- [--queries 40] [--captured FILE] [--tune] repository.git …

Makes questions of git repositories, indexes each by itself, and prints how well searches answer, with and without each leg and stage.

  --queries N      of each of the four families, from each repository, at the most (40)
  --captured FILE  keeps what the legs found, and takes it from there for the repositories that it has: ranking alone is then measured in a minute
  --tune           climbs with the ranking's constants on the half of the repositories that does not report, and prints where it got

  TEST_DATABASE_URL      a PostgreSQL with pgvector, in which a database is made for each repository and dropped again
  CODEINDEX_EMBEDDER, …  what makes the vectors, as for the product (.env.example); \`hash\` when not set. For a model behind an address:
                         CODEINDEX_EMBEDDER=openai CODEINDEX_EMBEDDING_URL=http://127.0.0.1:8081/v1 CODEINDEX_EMBEDDING_MODEL=all-minilm-l6-v2
                         CODEINDEX_EMBEDDING_DIMENSIONS=384. Repositories in FILE that were captured with another model are refused.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    queries: { type: "string", default: "40" },
    captured: { type: "string" },
    tune: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const server = process.env["TEST_DATABASE_URL"] ?? "";
const embedding = readConfig(embedderVariables, process.env);
const file = values.captured;
const known = file !== undefined && existsSync(file) ? readCaptured(await readFile(file, "utf8")) : [];
const missing = positionals.filter((path) => !known.some(({ name }) => name === nameOf(path)));
if ((missing.length > 0 && server === "") || positionals.length + known.length === 0) {
  fail("Give TEST_DATABASE_URL, a PostgreSQL with pgvector, and the folders of git repositories; --help says more.");
}
const other = known.find(({ embedder }) => embedder !== modelOf(embedding));
if (other !== undefined) {
  fail(`${other.name} was captured with the vectors of ${other.embedder}, and CODEINDEX_EMBEDDER names ${modelOf(embedding)}.`);
}
const captured = [...known];
for (const path of missing) {
  const repository = await captureRepository({ server, path, embedding, count: Number(values.queries) });
  captured.push(repository);
  if (file !== undefined) {
    await appendFile(file, `${JSON.stringify(repository)}\n`);
  }
}
if (values.tune) {
  tune(halves(captured).tuned.flatMap(replay));
} else {
  console.log(`\nVectors of ${modelOf(embedding)}`);
  printTables(captured);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function readCaptured(text: string): readonly CapturedRepository[] {
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as CapturedRepository]));
}
