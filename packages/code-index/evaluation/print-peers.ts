import { scoreAnswer, searching, type Answering } from "#evaluation/answer.ts";
import type { CapturedRepository } from "#evaluation/capture-repository.ts";
import { judge } from "#evaluation/judge.ts";
import { halves, printHead, printRow, shown } from "#evaluation/print-tables.ts";
import type { Family, Target } from "#evaluation/query-set.ts";
import { replay, type Replayed } from "#evaluation/replay.ts";
import { keyOf, type Peers } from "./ask-peers.ts";

const CATEGORIES: readonly (readonly [title: string, families: readonly Family[]])[] = [
  ["names", ["name"]],
  ["noun phrases", ["phrase"]],
  ["how and what", ["how", "what"]],
  ["questions, all", ["name", "phrase", "how", "what"]],
  ["reports", ["report"]],
];

type Compared = {
  readonly repository: string;
  readonly family: Family;
  readonly ours: number;
  readonly semble: number;
  readonly ripgrep: number;
};

/** Prints, for each half, the NDCG@10 of each kind of question beside the peers', and how much better it is than semble's. */
export function printPeers(repositories: readonly CapturedRepository[], peers: Peers): void {
  const known = repositories.filter(({ name }) => peers.has(name));
  for (const [index, half] of halves(known).entries()) {
    const replayed = half.flatMap(replay);
    const names = half.map(({ name, language }) => `${name} (${language})`).join(", ");
    console.log(`\n## ${index === 0 ? "Judged on" : "Chosen on"} ${half.length} repositories: ${names}`);
    for (const byFile of [true, false]) {
      for (const isWithin of [false, true]) {
        const compared = replayed
          .filter(({ captured }) => (captured.within !== undefined) === isWithin)
          .flatMap((each) => compare(each, peers, byFile));
        printTable(`by ${byFile ? "file" : "chunk"}, ${isWithin ? "path given" : "whole repository"}`, compared);
      }
    }
  }
}

function compare(replayed: Replayed, peers: Peers, byFile: boolean): readonly Compared[] {
  const { captured, repository } = replayed;
  const semble = peers.get(repository.name)?.get(keyOf(captured));
  const hasLines = captured.targets.some(({ lines }) => lines !== undefined);
  if (semble === undefined || (!byFile && !hasLines)) {
    return [];
  }
  const targets = byFile ? filesOf(captured.targets) : captured.targets;
  const scored = { ...replayed, captured: { ...captured, targets } };
  const answered = (answer: Answering) => scoreAnswer(answer, scored).ndcg;
  return [
    {
      repository: repository.name,
      family: captured.family,
      ours: answered(searching()),
      semble: judge(semble, targets).ndcg,
      ripgrep: answered(() => captured.ripgrep.map((path) => ({ path }))),
    },
  ];
}

/** The files of targets, each for what its best is worth. */
function filesOf(targets: readonly Target[]): readonly Target[] {
  // The first of a file is the best of it.
  return targets
    .filter(({ path }, index) => targets.findIndex((other) => other.path === path) === index)
    .map(({ path, gain }) => ({ path, gain }));
}

function printTable(title: string, compared: readonly Compared[]): void {
  if (compared.length === 0) {
    return;
  }
  console.log(`\n${title}: NDCG@10, and how much better than semble, the mean of the repositories with its 95 % interval\n`);
  printHead(["", "queries", "ripgrep", "semble", "Sightline", "difference", "95 %"]);
  for (const [name, families] of CATEGORIES) {
    const own = compared.filter(({ family }) => families.includes(family));
    if (own.length > 0) {
      const mean = (of: (each: Compared) => number) => average(own.map(of));
      const byRepository = [...Map.groupBy(own, ({ repository }) => repository).values()];
      const { middle, half } = interval(byRepository.map((each) => average(each.map(({ ours, semble }) => ours - semble))));
      const ripgrep = mean((each) => each.ripgrep);
      const means = [mean(({ semble }) => semble), mean(({ ours }) => ours), middle];
      printRow([
        name,
        String(own.length),
        ripgrep === 0 ? "–" : shown(ripgrep),
        ...means.map(shown),
        `${shown(middle - half)} to ${shown(middle + half)}`,
      ]);
    }
  }
}

function average(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** The mean, and how far Student's 95 % interval reaches to either side of it (the quantile after Cornish and Fisher). */
function interval(numbers: readonly number[]): { readonly middle: number; readonly half: number } {
  const middle = average(numbers);
  const free = numbers.length - 1;
  const variance = numbers.reduce((sum, number) => sum + (number - middle) ** 2, 0) / free;
  const z = 1.959_964;
  const quantile = z + (z ** 3 + z) / (4 * free) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * free ** 2);
  return { middle, half: quantile * Math.sqrt(variance / numbers.length) };
}
