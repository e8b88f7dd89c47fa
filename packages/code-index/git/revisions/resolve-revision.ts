import { refusal } from "@sightline/foundation/errors";
import { runGit } from "#git/git.ts";
import { listRefs, splitLines } from "#git/refs.ts";
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
  if (named.until === undefined) {
    return inPlace(await resolveName(named.name, { ...resolving, steps: named.steps }), place);
  }
  const start = await resolveName(named.name, { ...resolving, steps: "" });
  const dated = ["rev-list", "--max-count=1", "--first-parent", `--before=${named.until}`, "--end-of-options", start];
  const [from] = splitLines(await runGit({ arguments: dated, directory, signal }));
  const [commit] = from === undefined ? [] : await findCommits([`${from}${named.steps}`], resolving);
  return inPlace(commit ?? beyond(), place);
}

function inPlace(commit: string, { border }: Place): string {
  return border.has(commit) ? beyond() : commit;
}

type Stepping = Resolving & { readonly steps: string };

/** The commit that a name and steps back from it mean. */
async function resolveName(name: string, resolving: Stepping): Promise<string> {
  const { place, branch, steps } = resolving;
  const short = name.replace(/^(?:refs\/heads\/|heads\/|refs\/remotes\/origin\/|origin\/)/u, "");
  if (name === "HEAD" || short === branch.ref) {
    return (await findCommits([`${branch.head}${steps}`], resolving))[0] ?? beyond();
  }
  const isWholeHash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/iu.test(name);
  if (place.isWhole && !isWholeHash) {
    const tag = `refs/tags/${name.replace(/^(?:refs\/)?tags\//u, "")}`;
    const [tagged, ofBranch] = await findCommits([`${tag}${steps}`, `refs/heads/${short}${steps}`], resolving);
    if (tagged !== undefined) {
      return tagged;
    }
    if (ofBranch !== undefined) {
      return place.age > MOVED_SECONDS ? beyond() : ofBranch;
    }
  }
  return /^[0-9a-f]{4,64}$/iu.test(name) ? resolveHash(name.toLowerCase(), resolving) : beyond();
}

function beyond(): never {
  throw new Beyond();
}

async function resolveHash(beginning: string, resolving: Stepping): Promise<string> {
  const { place, steps, signal } = resolving;
  const { directory } = place;
  const [found] = await findCommits([beginning], resolving);
  if (found !== undefined) {
    await requireReached(found, resolving);
    return steps === "" ? found : ((await findCommits([`${found}${steps}`], resolving))[0] ?? beyond());
  }
  const objects = await runGit({ arguments: ["rev-parse", `--disambiguate=${beginning}`], directory, signal });
  const types = await runGit(
    { arguments: ["cat-file", "--batch-check=%(objecttype) %(objectname)"], directory, signal },
    objects.toString(),
  );
  const commits = splitLines(types).flatMap((line) => (line.startsWith("commit ") ? line.slice(7) : []));
  if (commits.length < 2) {
    return beyond();
  }
  const shown = ["log", "--no-walk=unsorted", "--format=%h (%<(80,trunc)%s)", "--abbrev=12", ...commits.slice(0, 5)];
  const listed = (await runGit({ arguments: shown, directory, signal })).toString("utf8").replaceAll(/ +\)/gu, ")");
  throw refusal(400, "commit_ambiguous", `Several commits begin with ${beginning}: ${listed.trim().replaceAll("\n", ", ")}.`);
}

/** Commits that were pushed away by force may still be on the disk, and are told of no more. */
async function requireReached(commit: string, { place: { directory }, signal }: Resolving): Promise<void> {
  // A tenth of what `for-each-ref --contains` takes with thousands of tags.
  const given = ["rev-list", "--max-count=1", commit, "--not", "--all"];
  if (splitLines(await runGit({ arguments: given, directory, signal })).length > 0) {
    beyond();
  }
}

/** The commits that git takes these for, in one process; `undefined` for what is none. */
async function findCommits(
  names: readonly string[],
  { place: { directory }, signal }: Resolving,
): Promise<readonly (string | undefined)[]> {
  const asked = names.map((name) => `${name}^{commit}\n`).join("");
  const printed = await runGit({ arguments: ["cat-file", "--batch-check=%(objecttype) %(objectname)"], directory, signal }, asked);
  // Of what has two meanings git prints a line, too.
  return splitLines(printed).map((line) => (line.startsWith("commit ") ? line.slice(7) : undefined));
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
