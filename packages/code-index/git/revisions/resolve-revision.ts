import { refusal } from "@sightline/foundation/errors";
import { runGit } from "#git/git.ts";
import { listRefs, splitLines } from "#git/refs.ts";
import { SourceError } from "#git/source-error.ts";
import { nearestNames } from "./nearest-names.ts";
import { nameRevision } from "./name-revision.ts";
import { Beyond, type Place } from "./place.ts";

/** A branch that is indexed, with its indexed commit: what `HEAD` and its name mean. */
export type IndexedBranch = { readonly ref: string; readonly head: string };

type Resolving = { readonly place: Place; readonly branch: IndexedBranch; readonly signal: AbortSignal };

/** A branch that is not indexed may have moved since. */
const MOVED_SECONDS = 60;

/**
 * The commit that a revision means.
 *
 * @throws {Beyond} when it may be among the commits that are not in this place.
 * @throws {AppError} `invalid_revision`, `commit_ambiguous` (400).
 */
export async function resolveRevision(revision: string, resolving: Resolving): Promise<string> {
  const { place, signal } = resolving;
  const named = nameRevision(revision);
  if (named === undefined) {
    throw refusal(
      400,
      "invalid_revision",
      `${revision.slice(0, 100)} is no revision: name a hash, a tag, a branch or HEAD, behind it ~3, ^ or @{2026-10-01}.`,
    );
  }
  const { directory } = place;
  const start = await resolveName(named.name, resolving);
  const dated = ["rev-list", "--max-count=1", "--first-parent", `--before=${named.until}`, "--end-of-options", start];
  const [from] = named.until === undefined ? [start] : splitLines(await runGit({ arguments: dated, directory, signal }));
  const commit = from === undefined ? undefined : await verify(`${from}${named.steps}`, resolving);
  if (commit === undefined || place.border.has(commit)) {
    throw new Beyond();
  }
  return commit;
}

async function resolveName(name: string, resolving: Resolving): Promise<string> {
  const { place, branch } = resolving;
  const short = name.replace(/^(?:refs\/heads\/|heads\/|refs\/remotes\/origin\/|origin\/)/u, "");
  if (name === "HEAD" || short === branch.ref) {
    return (await verify(branch.head, resolving)) ?? beyond();
  }
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/iu.test(name)) {
    return requireReached(await verify(name, resolving), resolving);
  }
  for (const ref of place.isWhole ? [`refs/tags/${name.replace(/^(?:refs\/)?tags\//u, "")}`, `refs/heads/${short}`] : []) {
    const commit = await verify(ref, resolving);
    if (commit !== undefined) {
      return ref.startsWith("refs/heads/") && place.age > MOVED_SECONDS ? beyond() : commit;
    }
  }
  return /^[0-9a-f]{4,64}$/iu.test(name) ? resolveBeginning(name.toLowerCase(), resolving) : beyond();
}

function beyond(): never {
  throw new Beyond();
}

async function resolveBeginning(beginning: string, resolving: Resolving): Promise<string> {
  const {
    place: { directory },
    signal,
  } = resolving;
  const objects = await runGit({ arguments: ["rev-parse", `--disambiguate=${beginning}`], directory, signal });
  const types = await runGit(
    { arguments: ["cat-file", "--batch-check=%(objecttype) %(objectname)"], directory, signal },
    objects.toString(),
  );
  const commits = splitLines(types).flatMap((line) => (line.startsWith("commit ") ? line.slice(7) : []));
  const [found, other] = commits;
  if (found !== undefined && other !== undefined) {
    const shown = ["log", "--no-walk=unsorted", "--max-count=5", "--format=%h (%<(80,trunc)%s)", "--abbrev=12", ...commits.slice(0, 5)];
    const listed = (await runGit({ arguments: shown, directory, signal }))
      .toString("utf8")
      .trim()
      .replaceAll(/ +\)\n?/gu, ")\n");
    throw refusal(400, "commit_ambiguous", `Several commits begin with ${beginning}: ${listed.trim().replaceAll("\n", ", ")}.`);
  }
  return requireReached(found, resolving);
}

/** What was pushed away by force may still be on the disk, and is told of no more. */
async function requireReached(commit: string | undefined, { place: { directory }, signal }: Resolving): Promise<string> {
  const given = ["for-each-ref", "--count=1", "--format=%(refname)", `--contains=${commit}`];
  const isReached = commit !== undefined && splitLines(await runGit({ arguments: given, directory, signal })).length > 0;
  return isReached ? commit : beyond();
}

/** The commit that git itself takes a name for. */
async function verify(name: string, { place: { directory }, signal }: Resolving): Promise<string | undefined> {
  const given = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  try {
    return splitLines(await runGit({ arguments: given, directory, signal })).at(-1);
  } catch (error) {
    if (error instanceof SourceError) {
      return undefined;
    }
    throw error;
  }
}

/** Says that there is no such commit, and which names are nearest. */
export async function refuseUnknown(revision: string, repo: string, { place, signal }: Omit<Resolving, "branch">): Promise<never> {
  const names = (await listRefs({ directory: place.directory, signal })).map((ref) => ref.replace(/^refs\/(?:tags|heads)\//u, ""));
  const wanted = nameRevision(revision);
  const isThere = wanted !== undefined && (wanted.steps !== "" || wanted.until !== undefined) && names.includes(wanted.name);
  const nearest = nearestNames(wanted?.name ?? revision, names);
  const hint = isThere ? `${wanted.name} does not go back so far` : `did you mean ${nearest.join(", ")}?`;
  const message = `${repo} has no commit ${revision.slice(0, 300)} on any branch or tag; ${nearest.length === 0 ? "search its commits" : hint}`;
  throw refusal(404, "commit_not_found", message);
}
