import { readFile } from "node:fs/promises";
import { createDatabase } from "@sightline/foundation/database/database";
import { readConfig } from "@sightline/foundation/config";
import { createLog } from "@sightline/foundation/log";
import { createQueryEmbedder } from "#embedding/query-embedder.ts";
import { LEGS } from "#retrieval/legs/legs.ts";
import type { LegName } from "#contract.ts";
import { parseQuery } from "#retrieval/query/parse-query.ts";
import { readSearched } from "#retrieval/scope/read-searchable.ts";
import { embedderVariables } from "#config.ts";
import type { CodeIndexTables } from "#schema.ts";
import { findTenant } from "#store/tenancy/tenant.ts";
import { createSegmentMemory } from "#retrieval/bm25/segment-memory.ts";

/**
 * Times each leg of the search by itself, as a search runs it. Arguments: the database's address, the tenant's id, a file of queries
 * as `draw-queries.ts` prints them, how many at once. Prints `[{leg, kind, firstMs, laterMs}]`: of each query the first time, and then.
 */
const [url = "", tenantId = "", file = "", atOnce = "1", rounds = "4"] = process.argv.slice(2);
const log = createLog({ name: "time", level: "warn" });
const database = createDatabase<CodeIndexTables>({ url, poolSize: 10, applicationName: "time", log });
const queries = JSON.parse(await readFile(file, "utf8")) as Readonly<Record<"words" | "symbols" | "literals", readonly string[]>>;
const tenant = await findTenant(database, tenantId);
if (tenant === undefined) {
  throw new Error("No such tenant.");
}
const scope = { tenant };
const memory = createSegmentMemory();
const searched = await readSearched(database, scope, 10_000);
const embedder = createQueryEmbedder({ config: readConfig(embedderVariables, process.env), log });

const TIMED: readonly (readonly [leg: LegName, kind: keyof typeof queries])[] = [
  ["bm25", "words"],
  ["bm25", "symbols"],
  ["exact", "literals"],
  ["exact", "symbols"],
  ["semantic", "words"],
];

const results: { leg: string; kind: string; firstMs: number[]; laterMs: number[]; hits: number[] }[] = [];
for (const [leg, kind] of TIMED) {
  const [firstMs, laterMs, hits]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < Number(rounds); round++) {
    const waiting = queries[kind].values();
    const workers = Array.from({ length: Number(atOnce) }, async () => {
      for (const text of waiting) {
        const query = parseQuery(text);
        const began = performance.now();
        const { chunkIds } = await LEGS[leg].search({
          database,
          memory,
          scope,
          query,
          ...searched,
          embedder,
          limit: LEGS[leg].hits.usual,
          deadlineMs: 30_000,
        });
        (round === 0 ? firstMs : laterMs).push(performance.now() - began);
        hits.push(chunkIds.length);
      }
    });
    await Promise.all(workers);
  }
  results.push({ leg, kind, firstMs, laterMs, hits });
}
process.stdout.write(`${JSON.stringify(results)}\n`);
await database.close();
