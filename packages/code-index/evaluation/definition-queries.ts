import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import type { Splitter } from "#splitting/splitter.ts";
import { detectLanguage } from "#splitting/languages.ts";
import type { CodeIndexDatabase, Tenant } from "#store/tenancy/tenant.ts";
import { splitTerms } from "#store/index/terms.ts";
import { takeDocstring } from "./docstrings.ts";
import { git, type Checkout } from "./git.ts";
import { headOf, isCode, sample, type EvalQuery } from "./query-set.ts";

const FUNCTIONS = new Set(["function", "method"]);
const MAX_FILE_BYTES = 200_000;

/** Takes the comments off as many functions, each of another file, and asks for the functions in the comments' words. */
export async function takeDocstrings(checkout: Checkout, splitter: Splitter, count: number): Promise<readonly EvalQuery[]> {
  const listed = (await git(checkout.directory, ["ls-files", "-z", "--others", "--cached"])).split("\0");
  const files = sample(listed.filter(isCode), listed.length, (path) => path);
  const queries: EvalQuery[] = [];
  for (const path of files) {
    if (queries.length >= count) {
      break;
    }
    const content = await readFile(join(checkout.directory, path), "utf8").catch(() => "");
    if (content === "" || content.length > MAX_FILE_BYTES || content.includes("\0")) {
      continue;
    }
    const { definitions } = await splitter.split(Buffer.from(content), detectLanguage(path));
    const functions = definitions.filter(({ kind, name }) => FUNCTIONS.has(kind) && !/^test/i.test(name));
    for (const definition of sample(functions, functions.length, ({ name }) => name)) {
      const found = takeDocstring(content, definition, detectLanguage(path));
      if (found !== undefined) {
        await writeFile(join(checkout.directory, path), found.content);
        queries.push({
          family: "docstring",
          language: detectLanguage(path),
          text: found.text,
          targets: [headOf(path, found.start, found.end)],
        });
        break;
      }
    }
  }
  return queries;
}

type Defined = { readonly name: string; readonly path: string; readonly start_line: number; readonly end_line: number };

/** Shorter names are those of loops and receivers. */
const MIN_NAME_LENGTH = 4;
/** Who defines a name more often than this is looked for in other ways. */
const MAX_PLACES = 2;

/** Names as they are written, and others as the words they are made of. */
export async function makeSymbolQueries(
  database: CodeIndexDatabase,
  { schema }: Tenant,
  repo: string,
  count: number,
): Promise<readonly EvalQuery[]> {
  const { rows } = await sql<Defined>`
    select symbol.name, document.path, symbol.start_line, symbol.end_line
    from codeindex.repositories as repository
    join codeindex.refs as ref on ref.repo_id = repository.id and ref.is_default
    join ${sql.id(schema, "files")} as file on file.generation = ref.generation
    join ${sql.id(schema, "documents")} as document on document.document_id = file.document_id
    join ${sql.id(schema, "symbols")} as symbol on symbol.document_id = document.document_id
    where repository.full_name = ${repo} and symbol.kind in ('function', 'method', 'class', 'interface', 'type', 'struct', 'enum', 'trait')
    order by document.path, symbol.start_line
  `.execute(database.query);
  const names = [...Map.groupBy(rows, (row) => row.name)].flatMap(([name, places]) =>
    name.length >= MIN_NAME_LENGTH &&
    /^[A-Za-z_$][\w$]*$/.test(name) &&
    places.length <= MAX_PLACES &&
    places.every(({ path }) => isCode(path))
      ? [{ name, places }]
      : [],
  );
  const compound = names.filter(({ name }) => splitTerms(name).length > 2);
  const split = sample(compound, count, ({ name }) => `split ${name}`);
  const whole = sample(names, count, ({ name }) => name);
  const query = (family: "symbol" | "split name", text: string, places: readonly Defined[]): EvalQuery => ({
    family,
    language: detectLanguage(places[0]?.path ?? ""),
    text,
    targets: places.map(({ path, start_line: start, end_line: end }) => headOf(path, start, end)),
  });
  return [
    ...whole.map(({ name, places }) => query("symbol", name, places)),
    ...split.map(({ name, places }) => query("split name", splitTerms(name).slice(1).join(" "), places)),
  ];
}
