import { setTimeout as sleep } from "node:timers/promises";
import { refusal, type AppError } from "@sightline/foundation/errors";
import type { z } from "zod";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";
import { askGitRead, gitReadState, takeGitAnswer, type GitQuestion } from "#store/records/git-reads.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

const READ_MS = 5_000;
/** Until an indexer has taken the question, and until it has answered; a tool's call may take 15 s. */
const CLAIMED_MS = 4_000;
const ANSWERED_MS = 14_000;
const [FIRST_POLL_MS, LAST_POLL_MS] = [4, 100];

type WithoutBranch<Question> = Question extends GitQuestion ? Omit<Question, "ref" | "head"> : never;

/**
 * Has the git of an indexer answer about a repository, by a row of the database: the mirrors are on the indexers' machines.
 *
 * @throws {AppError} `commits_unavailable`, `too_busy` (503), what the indexer refuses (`commit_not_found` and others), and as `readScope`.
 */
export async function askGit<Answer>(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { question, answer }: { readonly question: WithoutBranch<GitQuestion>; readonly answer: z.ZodType<Answer> },
): Promise<Answer> {
  const build = await readScope({ database, scope, milliseconds: READ_MS }, async (_transaction, [found]) => found);
  const { id: repoId = "", ref, commit: head } = build ?? {};
  const id = await askGitRead(database, { tenant: scope.tenant, repoId, question: { ...question, ref: ref ?? "", head: head ?? "" } });
  let given;
  try {
    await awaitAnswer(database, scope.tenant, id);
  } finally {
    given = await takeGitAnswer(database, scope.tenant, id);
  }
  if (given === undefined) {
    throw unavailable("The answer was not there in time; ask again.");
  }
  if ("refused" in given) {
    const { status, code, message } = given.refused;
    throw refusal(status, code, message);
  }
  return answer.parse(given.found);
}

/** @throws {AppError} `commits_unavailable` (503); whatever the signal of the database was aborted for. */
async function awaitAnswer(database: CodeIndexDatabase, tenant: RepositoryScope["tenant"], id: string): Promise<void> {
  const began = performance.now();
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 1.5, LAST_POLL_MS)) {
    await sleep(pause, undefined, { signal: database.signal });
    const state = await gitReadState(database, tenant, id);
    const waited = performance.now() - began;
    if (state === "answered") {
      return;
    }
    if (state === "waits" && waited > CLAIMED_MS) {
      throw unavailable("No indexer took the question: none runs, or all are busy. Ask again.");
    }
    if (waited > ANSWERED_MS) {
      throw unavailable(`There was no answer within ${ANSWERED_MS / 1_000} s; ask for less, or again.`);
    }
  }
}

function unavailable(message: string): AppError {
  return refusal(503, "commits_unavailable", message, { headers: { "retry-after": "2" } });
}
