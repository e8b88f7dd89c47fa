import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { FEATURES, type FeatureName } from "#retrieval/ranking/features.ts";
import type { CapturedRepository } from "./capture-repository.ts";
import { weighCommits, weighKind } from "#retrieval/ranking/rank.ts";
import { replay, type Replayed } from "./replay.ts";

const NAMES: readonly FeatureName[] = Object.values(FEATURES).flat();

/**
 * Writes what the ranking knows of each candidate of each query as a table, for `train-ranking.py`: which query and file it is of, which
 * of the targets it is (-1 for none), how many there are, the logarithm of what the model's
 * answer is added to, the part of it that its file's commits have, and its features.
 */
export async function writeFeatures(repositories: readonly CapturedRepository[], file: string): Promise<void> {
  await pipeline(linesOf(repositories), createWriteStream(file));
}

function* linesOf(repositories: readonly CapturedRepository[]): Generator<string> {
  yield `${["repository", "language", "family", "within", "query", "by_file", "targets", "target", "file", "base", "commits", ...NAMES].join("\t")}\n`;
  let number = 0;
  for (const repository of repositories) {
    for (const replayed of replay(repository)) {
      number++;
      yield* rowsOf(replayed, number);
    }
  }
}

function* rowsOf({ captured, repository, described }: Replayed, number: number): Generator<string> {
  const files = new Map<string, number>();
  for (const each of described) {
    const { chunk } = each.candidate;
    files.set(chunk.path, files.get(chunk.path) ?? files.size);
    const { features } = each;
    const target = captured.targets.findIndex(
      ({ path, lines, gain }) =>
        gain === undefined && path === chunk.path && (lines === undefined || (chunk.start_line <= lines[1] && chunk.end_line >= lines[0])),
    );
    const isByFile = captured.targets.every(({ lines }) => lines === undefined);
    const { family, within } = captured;
    const targets = captured.targets.filter(({ gain }) => gain === undefined);
    const about = [
      repository.name,
      repository.language,
      family,
      Number(within !== undefined),
      number,
      Number(isByFile),
      targets.length,
      target,
    ];
    const commits = Math.log(weighCommits(each));
    const base = Math.log(each.candidate.fused.score * weighKind(each)) + commits;
    const values = [base, commits, ...NAMES.map((name) => features[name])].map((value) => Math.round(value * 1e5) / 1e5);
    yield `${[...about, files.get(chunk.path), ...values].join("\t")}\n`;
  }
}
