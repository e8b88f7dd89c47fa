import { createDatabase } from "@sightline/foundation/database/database";
import { createLog } from "@sightline/foundation/log";
import { escapeExpression } from "@sightline/foundation/patterns";
import { sql } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { isStopWord } from "#retrieval/query/parse-query.ts";
import { splitTerms } from "#store/index/terms.ts";

/**
 * Draws queries from the chunks of an index, the same ones of the same index each time. Arguments: the database's address, the
 * schema, how many of each kind. Prints `{words, symbols, literals, expressions, common, absent}`: the last two are names.
 */
const [url = "", schema = "", count = "0"] = process.argv.slice(2);
const log = createLog({ name: "draw", level: "warn" });
const database = createDatabase<CodeIndexTables>({ url, poolSize: 1, applicationName: "draw", log });

type Drawn = { readonly content: string; readonly symbols: readonly string[] };

const { rows } = await sql<Drawn>`
  with segments as (
    select array_agg(segment_id order by segment_id) as ids, array_agg(chunks order by segment_id) as chunks
    from ${sql.id(schema, "segments")} where complete and chunks > 0
  )
  select chunk.content, chunk.symbols
  from segments cross join generate_series(1, ${Number(count) * 6}) as draw
  join lateral (select 1 + (hashint4(draw) & 2147483647) % cardinality(ids) as place, hashint4(draw + 1000000) & 2147483647 as number) as drawn on true
  join ${sql.id(schema, "code_chunks")} as chunk on chunk.chunk_id = ids[place] * ${2 ** 22}::bigint + drawn.number % chunks[place]
  order by draw
`.execute(database.query);

const { rows: common } = await sql<{ name: string }>`
  select name from ${sql.id(schema, "symbols")} where name ~ '^[A-Za-z]{6,}$' group by name order by count(*) desc, name limit ${Number(count)}
`.execute(database.query);

const wanted = Number(count);
const random = sequence();
const symbols = rows.flatMap((row) => row.symbols.filter((symbol) => symbol.length > 5).slice(0, 1)).slice(0, wanted);
const literals = rows.flatMap(literalOf).slice(0, wanted);
process.stdout.write(
  `${JSON.stringify({
    words: rows.flatMap(wordsOf).slice(0, wanted),
    symbols,
    literals,
    expressions: literals.map((literal) => literal.split(/\s+/).map(escapeExpression).join(".*")),
    common: common.map(({ name }) => name),
    absent: symbols.map((symbol) => `${symbol.replaceAll(/\W/g, "")}Zq`),
  })}\n`,
);
await database.close();

/** A question that says some of a chunk's words. */
function wordsOf({ content, symbols: [symbol] }: Drawn): readonly string[] {
  const words = [...new Set(splitTerms(content))].filter((term) => /^[a-z]{4,}$/.test(term) && !isStopWord(term));
  if (words.length < 10 || symbol === undefined) {
    return [];
  }
  const said = Array.from({ length: 3 }, () => words[random(words.length)] ?? "");
  const named = splitTerms(symbol).filter((term) => /^[a-z]{3,}$/.test(term));
  return [`where is the ${[...said, ...named.slice(-2)].join(" ")} of this`];
}

/** A part of a line, as somebody pastes it. */
function literalOf({ content }: Drawn): readonly string[] {
  const lines = content.split("\n").filter((line) => line.trim().length > 20);
  const line = lines[random(lines.length)]?.trim() ?? "";
  const length = 10 + random(25);
  const literal = line.slice(0, length).trim();
  return literal.length >= 10 && /[A-Za-z_]{3}/.test(literal) && /\W/.test(literal) && !/["'`/]/.test(literal) ? [literal] : [];
}

function sequence(): (below: number) => number {
  let state = 42;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * Math.max(1, below));
  };
}
