import { setTimeout as sleep } from "node:timers/promises";
import type { SearchAnswer, SearchRequest } from "#contract.ts";
import { invalidQuery } from "#retrieval/query/refusals.ts";
import { reachedCommit } from "./reached-commit.store.ts";
import type { Access } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

const POLL_MS = 100;
const MAX_POLL_MS = 500;

/**
 * Waits until the repository's index holds the commit asked for, up to the time asked for; says whether it does.
 *
 * @throws {AppError} `invalid_query` (400) when no repository is named.
 */
export async function awaitCommit(
  database: CodeIndexDatabase,
  access: Access,
  { repo, ref, min_commit: commit, wait_ms: waitMs = 0 }: SearchRequest,
): Promise<SearchAnswer["min_commit"]> {
  if (commit === undefined) {
    return undefined;
  }
  if (repo === undefined || repo.includes("\0")) {
    throw invalidQuery("min_commit is of one repository: name it with repo.");
  }
  const began = performance.now();
  const waited = () => performance.now() - began;
  const readState = () => reachedCommit(database, { ...access, repo, ref, commit });
  let found = await readState();
  for (let pause = POLL_MS; found === "not yet" && waited() < waitMs; pause = Math.min(pause * 1.5, MAX_POLL_MS)) {
    await sleep(Math.max(1, Math.min(pause, waitMs - waited())), undefined, { signal: database.signal });
    found = await readState();
  }
  return { commit, reached: found === "reached", waited_ms: Math.round(waited()) };
}
