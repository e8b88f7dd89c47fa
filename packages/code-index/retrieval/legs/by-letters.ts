import { findByPath } from "#retrieval/scope/read-chunks.store.ts";
import { readAs } from "#store/tenancy/tenant.ts";
import type { Leg, LegAnswer, LegQuery } from "./leg.ts";
import { searchByConditions, searchExactly } from "./search-exactly.ts";

/** The query letter for letter, or what its conditions ask for. */
export const byLetters: Leg = {
  deadlineMs: 2_000,
  hits: { usual: 100, deep: 3_000 },
  advice: "add at least three characters in a row, or name a repository",
  findsText: true,
  search: searchLetters,
};

async function searchLetters(looking: LegQuery): Promise<LegAnswer> {
  const { conditions } = looking;
  if (conditions?.hasPositive === true) {
    return searchByConditions(looking, conditions);
  }
  return looking.query.places.length > 0 ? searchPlaces(looking) : searchExactly(looking);
}

/** A query that looks like a path may be the name of a file, or a text in one: both are searched. So are the files that a report names. */
async function searchPlaces(looking: LegQuery): Promise<LegAnswer> {
  const { database, scope, query, limit, deadlineMs } = looking;
  const isPath = query.shape === "path";
  const named = await readAs(database, scope.tenant, deadlineMs, async (transaction) => {
    const found: number[] = [];
    for (const { path, line } of query.places) {
      // A report's are often those of an installed copy: its last folder and name are looked for.
      const place = isPath ? { path, limit } : { path: path.split("/").slice(-2).join("/"), limit: CHUNKS_OF_NAMED_FILE };
      found.push(...(await findByPath(transaction, scope, { ...place, line })));
    }
    return found;
  });
  const found = await searchExactly(looking);
  return { ...found, chunkIds: [...new Set([...named, ...found.chunkIds])].slice(0, limit) };
}

/** Several files may end so: one chunk of each. */
const CHUNKS_OF_NAMED_FILE = 3;
