import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readConfig } from "@sightline/foundation/config";
import { embedderVariables } from "#config.ts";
import { captureRepository, modelOf, type CapturedRepository } from "./capture-repository.ts";
import { repositoryName } from "./git.ts";
import { askPeers } from "#evaluation/ask-peers.ts";
import { printPeers } from "#evaluation/print-peers.ts";
import { printTables } from "./print-tables.ts";
import { writeFeatures } from "./write-features.ts";

const HELP = `npm run eval -- [--queries 10] [--captured FOLDER] [--keep] [--features FILE] [--peers] repository.git …

Asks what people asked of these repositories (packages/code-index/evaluation/sets), and questions made of them, indexes each by itself, and
prints how well searches answer, with and without each leg and stage.

  --queries N        made queries of each of the four families, from each repository, at the most (10); 0 for what people asked alone
  --captured FOLDER  keeps what the legs found, a file a repository, and takes it from there: ranking alone is then measured in a minute
  --keep             keeps the indexes, as databases eval_…, and uses those that are there
  --features FILE    writes what the ranking knows of each candidate, for train-ranking.py, and prints no tables

  --peers            prints instead how what people asked is answered beside semble (its BM25 and ranking, without its model) and ripgrep, over
                     the same trees; needs Python 3.11 or newer, and PyPI the first time

  TEST_DATABASE_URL      a PostgreSQL with pgvector, in which a database is made for each repository and dropped again
  CODEINDEX_EMBEDDER, …  what makes the vectors, as for the product (.env.example); \`words\` when not set. For a model behind an address:
                         CODEINDEX_EMBEDDER=openai CODEINDEX_EMBEDDING_URL=http://127.0.0.1:8081/v1 CODEINDEX_EMBEDDING_MODEL=all-minilm-l6-v2
                         CODEINDEX_EMBEDDING_DIMENSIONS=384. What was captured with another model is refused.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    queries: { type: "string", default: "10" },
    captured: { type: "string" },
    keep: { type: "boolean", default: false },
    features: { type: "string" },
    peers: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const server = process.env["TEST_DATABASE_URL"] ?? "";
const embedding = readConfig(embedderVariables, process.env);
const folder = values.captured;
const known = folder !== undefined && existsSync(folder) ? await readCaptured(folder) : [];
const missing = positionals.filter((path) => !known.some(({ name }) => name === repositoryName(path)));
if ((missing.length > 0 && server === "") || positionals.length + known.length === 0) {
  fail("Give TEST_DATABASE_URL, a PostgreSQL with pgvector, and the folders of git repositories; --help says more.");
}
const other = known.find(({ embedder }) => embedder !== modelOf(embedding));
if (other !== undefined) {
  fail(`${other.name} was captured with the vectors of ${other.embedder}, and CODEINDEX_EMBEDDER names ${modelOf(embedding)}.`);
}
const captured = [...known];
for (const path of missing) {
  const repository = await captureRepository({ server, path, embedding, count: Number(values.queries), keep: values.keep });
  captured.push(repository);
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${repository.name}.json`), JSON.stringify(repository));
  }
}
if (values.features !== undefined) {
  // What says which half it is of is never learned from.
  await writeFeatures(
    captured.filter(({ half }) => half === undefined),
    values.features,
  );
} else if (values.peers) {
  printPeers(captured, await askPeers(positionals));
} else {
  console.log(`\nVectors of ${modelOf(embedding)}`);
  printTables(captured);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

async function readCaptured(directory: string): Promise<readonly CapturedRepository[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith(".json"));
  return Promise.all(files.map(async (name) => JSON.parse(await readFile(join(directory, name), "utf8")) as CapturedRepository));
}
