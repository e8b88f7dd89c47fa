import { within, LATE } from "@sightline/foundation/deadline";
import { AppError, refusal } from "@sightline/foundation/errors";
import { LRUCache } from "lru-cache";
import { readdir } from "node:fs/promises";
import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import type { SourceAccess } from "#credentials/source-access.ts";
import { mirrorFolder, mirrorsFolder } from "#git/mirror.ts";
import { fetchWhole } from "#git/revisions/fetch-whole.ts";
import { Beyond, findPlaces, type Place } from "#git/revisions/place.ts";
import { refuseUnknown, resolveRevision } from "#git/revisions/resolve-revision.ts";
import { SourceError } from "#git/source-error.ts";
import { readChangeRules, type ChangeRules } from "#indexing/build/change-rules.ts";
import { answerGitRead, claimGitRead, type ClaimedGitRead, type GitAnswer, type GitQuestion } from "#store/records/git-reads.store.ts";
import { findTenant, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { compareTwo, findByText, readOneCommit } from "./read-commits.ts";
import { blameFile, readLinesHistory, readText } from "./read-lines.ts";
import type { Reading } from "./reading.ts";

export type GitTools = {
  readonly database: CodeIndexDatabase;
  readonly sources: SourceAccess;
  readonly dataDir: string;
  readonly mirrorBytes: number;
  readonly log: Logger;
  readonly clock: Clock;
};

/** The time that git may take for an answer; whoever waits gives up soon after. */
const ANSWER_MS = 12_000;
/** The time that a fetch is waited for; it goes on, and the next who asks has it. */
const FETCH_WAIT_MS = 8_000;

/** Answers one question that somebody put about a repository's commits; false when none waits. */
export type GitAnswerer = (stopping: AbortSignal) => Promise<boolean>;

export function createGitAnswerer(tools: GitTools): GitAnswerer {
  const { database, log, dataDir } = tools;
  const fetching = new Map<string, Promise<void>>();

  return async (stopping) => {
    const mirrors = await readdir(mirrorsFolder(dataDir)).catch(() => []);
    const claimed = await claimGitRead(database, { mirrors });
    const tenant = claimed && (await findTenant(database, claimed.tenantId));
    if (claimed === undefined || tenant === undefined) {
      return claimed !== undefined;
    }
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)]);
    const answer = await answerQuestion(tools, claimed, { fetching, signal, stopping }).catch((error: unknown): GitAnswer => {
      stopping.throwIfAborted();
      if (!(error instanceof AppError)) {
        log.warn({ err: error, repository: claimed.repo, kind: claimed.question.kind }, "git could not answer");
      }
      return { refused: refusedBy(error, signal) };
    });
    await answerGitRead(database, { tenant, id: claimed.id, answer });
    return true;
  };
}

function refusedBy(error: unknown, signal: AbortSignal) {
  if (error instanceof AppError) {
    const { status, code, message } = error;
    return { status, code, message };
  }
  const message = signal.aborted
    ? `git had no answer within ${ANSWER_MS / 1_000} s; ask for less: a path, fewer lines.`
    : "git could not answer; the indexer's log says why.";
  return { status: 503, code: "commits_unavailable", message };
}

type Answering = { readonly fetching: Map<string, Promise<void>>; readonly signal: AbortSignal; readonly stopping: AbortSignal };
type Found = { readonly answer: GitFound; readonly beyond: string | undefined };
type GitFound = Awaited<
  ReturnType<typeof readOneCommit | typeof compareTwo | typeof readText | typeof blameFile | typeof readLinesHistory | typeof findByText>
>;

/** From the newest commits, which are here, or where those don't do from all that the repository has, which are fetched then. */
async function answerQuestion(tools: GitTools, claimed: ClaimedGitRead, answering: Answering): Promise<GitAnswer> {
  const { repo, question } = claimed;
  const { signal } = answering;
  const folder = mirrorFolder(tools.dataDir, claimed.repoId);
  const places = await findPlaces(folder, tools.clock.now());
  let partial: Found | undefined;
  for (const place of places) {
    const found = await answerFrom(place, claimed, signal);
    if (found !== undefined && found.beyond === undefined) {
      return { found: found.answer };
    }
    partial ??= found;
  }
  const missing = await bringWhole(tools, claimed, answering);
  const whole = (await findPlaces(folder, tools.clock.now())).find((place) => place.isWhole);
  const found = whole && (await answerFrom({ ...whole, age: 0 }, claimed, signal));
  if (found !== undefined) {
    return {
      found:
        missing === undefined
          ? found.answer
          : withNote(found, `Branches and tags are as of ${Math.round(whole?.age ?? 0)} s ago: ${missing}.`),
    };
  }
  if (partial !== undefined) {
    return { found: withNote(partial, `${partial.beyond ?? ""}: ${missing ?? "older ones could not be read"}.`) };
  }
  if (whole === undefined || missing !== undefined) {
    throw refusal(
      503,
      "commits_unavailable",
      `This is not among the newest commits of an indexed branch, and older and other ones can't be read: ${missing ?? "there are none"}.`,
    );
  }
  for (const revision of revisionsOf(question)) {
    await resolveRevision(revision, { place: whole, branch: question, signal }).catch((error: unknown) =>
      error instanceof Beyond ? refuseUnknown(revision, repo, { place: whole, signal }) : Promise.reject(error),
    );
  }
  throw new Error("A question went beyond a repository that is whole.");
}

function withNote({ answer }: Found, note: string): object {
  return "notes" in answer ? { ...answer, notes: [...answer.notes, note] } : answer;
}

function revisionsOf(question: GitQuestion): readonly string[] {
  return [...(question.kind === "compare" ? [question.base] : []), question.revision, question.head];
}

/** `undefined` when the question is about commits that are not in the place. */
async function answerFrom(
  place: Place,
  { repo, include, exclude, question }: ClaimedGitRead,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const { directory } = place;
  const branch = { ref: question.ref, head: question.head };
  const resolve = (revision: string) => resolveRevision(revision, { place, branch, signal });
  let beyond: string | undefined;
  try {
    const rules = await rulesOf([directory, question.head, include, exclude], async () =>
      readChangeRules({ directory, commits: [await resolve("HEAD")] }, { include, exclude }, signal),
    );
    const answer = await answerBy({ repo, branch, place, rules, resolve, goBeyond: (note) => (beyond = note), signal }, question);
    return { answer, beyond };
  } catch (error) {
    if (error instanceof Beyond) {
      return undefined;
    }
    throw error;
  }
}

const knownRules = new LRUCache<string, Promise<ChangeRules>>({ max: 100 });

/** The rules of an indexed commit are those that count, at whatever commit is asked about. */
async function rulesOf(of: readonly unknown[], read: () => Promise<ChangeRules>): Promise<ChangeRules> {
  const key = JSON.stringify(of);
  const known = knownRules.get(key) ?? read();
  knownRules.set(key, known);
  return known.catch((error: unknown) => {
    knownRules.delete(key);
    throw error;
  });
}

async function answerBy(reading: Reading, question: GitQuestion): Promise<GitFound> {
  switch (question.kind) {
    case "commit":
      return readOneCommit(reading, question);
    case "compare":
      return compareTwo(reading, question);
    case "file":
      return readText(reading, question);
    case "blame":
      return blameFile(reading, question);
    case "lines":
      return readLinesHistory(reading, question);
    case "pickaxe":
    default:
      return findByText(reading, question);
  }
}

/** Fetches all branches and tags, once for all who ask meanwhile. @returns why they are not here, if they are not. */
async function bringWhole(
  { sources, dataDir, mirrorBytes: maxBytes }: GitTools,
  claimed: ClaimedGitRead,
  { fetching, stopping }: Answering,
): Promise<string | undefined> {
  const { repoId, question } = claimed;
  const running =
    fetching.get(repoId) ??
    sources
      .reach(claimed, stopping, (remote) => fetchWhole({ ...remote, dataDir, repoId, commit: question.head, maxBytes, signal: stopping }))
      .finally(() => fetching.delete(repoId));
  fetching.set(repoId, running);
  try {
    const outcome = await within(() => running, FETCH_WAIT_MS);
    return outcome === LATE
      ? "the repository's whole history is being fetched since somebody asked for it; ask again in a minute"
      : undefined;
  } catch (error) {
    stopping.throwIfAborted();
    if (error instanceof SourceError) {
      return error.message;
    }
    throw error;
  }
}
