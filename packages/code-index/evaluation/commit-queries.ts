import { detectLanguage } from "#splitting/languages.ts";
import { git } from "./git.ts";
import { isCode, sample, type EvalQuery } from "./query-set.ts";

const MAX_FILES = 5;
const MIN_WORDS = 4;
/** How far back the tree lies that is indexed, tried one after the other until there are enough queries. */
const DISTANCES = [100, 250, 600, 1_200];
const NO_CHANGE_OF_CODE =
  /^(?:chore|docs?|build|ci|test|tests|style|release|bump|merge|revert|deps|prepare|update (?:dep|readme|changelog)|v?\d+\.\d+|\[maven)|changelog|bump|typo|javadoc|pylint|checkstyle/i;

type CommitQueries = { readonly base: string; readonly queries: readonly EvalQuery[] };

/**
 * Subjects of commits, each with the source files that it changed. The tree that is searched is `base`, in which each of those
 * files is what it was before that commit.
 */
export async function makeCommitQueries(repository: string, count: number): Promise<CommitQueries> {
  const history = (await git(repository, ["rev-list", "--first-parent", "HEAD"])).trim().split("\n");
  const made: CommitQueries[] = [];
  for (const distance of DISTANCES.filter((commits) => commits * 2 < history.length)) {
    const base = history[distance] ?? "HEAD";
    const queries = sample(await queriesSince(repository, base), count, (query) => query.text);
    made.push({ base, queries });
    if (queries.length === count) {
      break;
    }
  }
  return made.toSorted((one, other) => other.queries.length - one.queries.length)[0] ?? { base: "HEAD", queries: [] };
}

async function queriesSince(repository: string, base: string): Promise<readonly EvalQuery[]> {
  const blobs = await blobsOf(repository, base);
  const log = await git(repository, ["log", "--no-merges", "--raw", "--no-abbrev", "--no-renames", "--format=%x01%s", `${base}..HEAD`]);
  const seen = new Set<string>();
  return log
    .split("\u0001")
    .slice(1)
    .flatMap((entry) => {
      const [subject = "", ...lines] = entry.split("\n");
      const text = subject.replaceAll(/\s*\(?#\d+\)?|\[[A-Z]+-\d+\]/g, "").trim();
      const changes = lines.flatMap((line) => /^:\d+ \d+ ([0-9a-f]+) [0-9a-f]+ (\w)\t(.+)$/.exec(line)?.slice(1, 4) ?? []);
      const targets: string[] = [];
      for (let at = 0; at < changes.length; at += 3) {
        const [before = "", kind, path = ""] = changes.slice(at, at + 3);
        if (isCode(path)) {
          // One that is new, or was changed in between, is not there to be found.
          targets.push(kind === "M" && blobs.get(path) === before ? path : "");
        }
      }
      const isUsable =
        text.split(/\s+/).length >= MIN_WORDS &&
        !NO_CHANGE_OF_CODE.test(text) &&
        targets.length > 0 &&
        targets.length <= MAX_FILES &&
        !targets.includes("") &&
        !seen.has(text);
      seen.add(text);
      return isUsable
        ? [{ family: "commit", language: detectLanguage(targets[0] ?? ""), text, targets: targets.map((path) => ({ path })) } as const]
        : [];
    });
}

async function blobsOf(repository: string, commit: string): Promise<ReadonlyMap<string, string>> {
  const listed = (await git(repository, ["ls-tree", "-r", "-z", commit])).split("\0");
  return new Map(
    listed.flatMap((line) => [/^\d+ blob ([0-9a-f]+)\t([^]+)$/.exec(line)].map((found) => [found?.[2] ?? "", found?.[1] ?? ""] as const)),
  );
}
