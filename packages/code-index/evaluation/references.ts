import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import { silentLog } from "@sightline/foundation/testing/silent-log";

import { readConfig } from "@sightline/foundation/config";
import { embedderVariables } from "#config.ts";
import type { UseKind } from "#contract.ts";
import { createGrepLimit } from "#retrieval/grep/grep.ts";
import { findReferences, type ReferenceDependencies } from "#retrieval/symbols/find-references.ts";
import { findLanguage } from "#splitting/languages.ts";
import { createNameFinder } from "#splitting/uses/name-finder.ts";
import type { Tenant } from "#store/tenancy/tenant.ts";
import { openEvaluatedIndex } from "./evaluated-index.ts";
import { checkOut, git, repositoryName } from "./git.ts";
import { createIndexMemory } from "#retrieval/scope/index-memory.ts";

const HELP = `node packages/code-index/evaluation/references.ts [--identifiers 30] repository.git …

Draws identifiers of each repository and compares the lines of their references with those that \`git grep -w\` finds at the indexed commit.

  --identifiers N      how many of each repository (30): half of them by how often they stand there, half of them whatever stands there
  TEST_DATABASE_URL    a PostgreSQL with pgvector, in which a database is made for each repository and dropped again`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { identifiers: { type: "string", default: "30" }, help: { type: "boolean", short: "h", default: false } },
});
const server = process.env["TEST_DATABASE_URL"] ?? "";
if (values.help || server === "" || positionals.length === 0) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

type Compared = {
  readonly identifiers: number;
  readonly lines: number;
  /** Lines of git alone, and of the product alone. */
  readonly missing: readonly string[];
  readonly extra: readonly string[];
  /** Lines in files that are not in the index. */
  readonly outside: number;
  readonly cut: number;
  readonly counts: Partial<Record<UseKind, number>>;
  readonly milliseconds: readonly number[];
};

console.log("| repository | identifiers | lines | missing | not git's | in files left out | cut | p50 ms | p95 ms | kinds |");
console.log("|---|---|---|---|---|---|---|---|---|---|");
for (const path of positionals) {
  const found = await compareRepository(path);
  const kinds = Object.entries(found.counts).map(([kind, count]) => `${count} ${kind}`);
  const cells = [found.identifiers, found.lines, found.missing.length, found.extra.length, found.outside, found.cut];
  console.log(
    `| ${[repositoryName(path), ...cells, ...[0.5, 0.95].map((part) => quantile(found.milliseconds, part)), kinds.join(", ")].join(" | ")} |`,
  );
  [...found.missing.map((line) => `missing ${line}`), ...found.extra.map((line) => `not git's ${line}`)]
    .slice(0, 10)
    .forEach((line) => console.error(line));
}

async function compareRepository(path: string): Promise<Compared> {
  const repo = `eval/${repositoryName(path)}`;
  const index = await openEvaluatedIndex({
    server,
    embedding: readConfig(embedderVariables, { CODEINDEX_EMBEDDER: "none" }),
    keptAs: undefined,
  });
  const checkout = await checkOut(path, "HEAD");
  const finder = createNameFinder({ log: silentLog });
  try {
    await index.add(repo, checkout);
    const { rows: files } = await sql<{ path: string; language: string }>`
      select file.path, document.language from ${sql.id(index.tenant.schema, "files")} as file
      join ${sql.id(index.tenant.schema, "documents")} as document using (document_id) where document.chunks > 0
    `.execute(index.database.query);
    const texts = await Promise.all(
      files
        .filter(({ language }) => findLanguage(language)?.grammar !== undefined)
        .map((file) => readFile(join(checkout.directory, file.path), "utf8")),
    );
    const { rows: names } = await sql<{ name: string }>`
      select name from ${sql.id(index.tenant.schema, "symbols")} union select unnest(names) from ${sql.id(index.tenant.schema, "symbol_references")}
    `.execute(index.database.query);
    const identifiers = draw(texts, new Set(names.map(({ name }) => name)), Number(values.identifiers));
    const finding = { database: index.database, finder, memory: createIndexMemory(), limit: createGrepLimit(), limits: LIMITS };
    return await compare(finding, index.tenant, {
      directory: checkout.directory,
      identifiers,
      indexed: new Set(files.map((file) => file.path)),
    });
  } finally {
    await finder.close();
    await checkout.remove();
    await index.close();
  }
}

/** All lines are compared, however long that takes. */
const LIMITS = { lookMs: 8_000, countMs: 8_000 };

type IdentifierQuery = { readonly directory: string; readonly identifiers: readonly string[]; readonly indexed: ReadonlySet<string> };

async function compare(
  finding: ReferenceDependencies,
  tenant: Tenant,
  { directory, identifiers, indexed }: IdentifierQuery,
): Promise<Compared> {
  const ask = (symbol: string, cursor?: string) => findReferences(finding, { tenant }, { symbol, all: true, limit: 200, cursor });
  // Grammars are loaded at their first use.
  await ask(identifiers[0] ?? "x");
  const missing: string[] = [];
  const extra: string[] = [];
  const counts: Partial<Record<UseKind, number>> = {};
  const milliseconds: number[] = [];
  let [lines, outside, cut] = [0, 0, 0];
  for (const name of identifiers) {
    const byGit = await linesByGit(directory, name);
    const expected = new Set(byGit.filter((line) => indexed.has(line.slice(0, line.lastIndexOf(":")))));
    const first = await ask(name);
    milliseconds.push(first.ms);
    const found = new Set<string>();
    let isCut = false;
    for (let answer = first; ; answer = await ask(name, answer.next_cursor ?? undefined)) {
      isCut ||= answer.partial;
      answer.references.forEach(({ path, line }) => found.add(`${path}:${line}`));
      if (answer.next_cursor === null) {
        if (!answer.partial && Object.values(answer.counts).reduce((sum, count) => sum + count, 0) !== found.size) {
          extra.push(`${name}: counted otherwise`);
        }
        Object.entries(answer.counts).forEach(([kind, count]) => (counts[kind as UseKind] = (counts[kind as UseKind] ?? 0) + count));
        break;
      }
    }
    if (isCut) {
      cut++;
      continue;
    }
    lines += expected.size;
    outside += byGit.length - expected.size;
    missing.push(...[...expected].filter((line) => !found.has(line)).map((line) => `${name} ${line}`));
    extra.push(...[...found].filter((line) => !expected.has(line)).map((line) => `${name} ${line}`));
  }
  return { identifiers: identifiers.length, lines, missing, extra, outside, cut, counts, milliseconds };
}

async function linesByGit(directory: string, name: string): Promise<readonly string[]> {
  const found = await git(directory, ["grep", "-n", "-w", "-F", "-I", "-z", "-e", name, "HEAD"]);
  return found
    .split("\n")
    .filter((line) => line !== "")
    .map((line) =>
      line
        .replace(/^HEAD:/, "")
        .split("\0")
        .slice(0, 2)
        .join(":"),
    );
}

/** Half of them drawn from all places, half from all that there are; the same each time. Plain words of comments are no identifiers. */
function draw(texts: readonly string[], known: ReadonlySet<string>, count: number): readonly string[] {
  const places = texts
    .flatMap((text) => text.match(/(?<!\w)[A-Za-z_]\w{2,}(?!\w)/g) ?? [])
    .filter((name) => known.has(name) || /\w_\w|[a-z][A-Z]/.test(name));
  const distinct = [...new Set(places)];
  const drawn = new Set<string>();
  for (let seed = 1; drawn.size < Math.min(count, distinct.length); seed = (seed * 48_271) % 2_147_483_647) {
    const among = drawn.size % 2 === 0 ? places : distinct;
    const name = among[seed % among.length];
    drawn.add(name ?? "");
  }
  return [...drawn];
}

function quantile(given: readonly number[], part: number): number {
  return Math.round(given.toSorted((one, other) => one - other)[Math.min(given.length - 1, Math.floor(given.length * part))] ?? 0);
}
