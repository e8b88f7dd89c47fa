import { RANK_WEIGHTS, type RankWeights } from "#retrieval/ranking/rank.ts";
import type { CapturedRepository } from "./capture.ts";
import { mean, type Scores } from "./judge.ts";
import { FAMILIES } from "./query-set.ts";
import { replay, scoreOf, searching, type Answering, type Replayed } from "./replay.ts";

const NEUTRAL: readonly (readonly [string, Partial<RankWeights>])[] = [
  ["path", { path: 0 }],
  ["symbols", { symbols: 0 }],
  ["coverage", { coverage: 0 }],
  ["named", { named: 0 }],
  ["file name", { fileName: 0 }],
  ["nearness", { nearness: 0, phrase: 0, verbatim: 0 }],
  ["phrases", { phrase: 0 }],
  ["file kinds", { kinds: { source: 1, test: 1, example: 1, declaration: 1, document: 1, data: 1, generated: 1, vendored: 1 } }],
  ["spread", { furtherChunk: 1 }],
];

const RIPGREP: Answering = ({ captured }) => captured.ripgrep.map((path) => ({ path }));

const OURS_BY_FILE: Answering = (replayed) => searching()(replayed).map(({ path }) => ({ path }));

type Way = readonly [name: string, answer: Answering];

const WAYS: readonly Way[] = [
  ["everything", searching()],
  ["without semantic", searching({ legs: ["bm25", "exact"] })],
  ["without BM25", searching({ legs: ["exact", "semantic"] })],
  ["without exact", searching({ legs: ["bm25", "semantic"] })],
  ["BM25 alone, ranked", searching({ legs: ["bm25"] })],
  ["BM25 alone, as it is", searching({ legs: ["bm25"], ranks: false })],
  ["exact alone, as it is", searching({ legs: ["exact"], ranks: false })],
  ["semantic alone, as it is", searching({ legs: ["semantic"], ranks: false })],
  ["legs fused, not ranked", searching({ ranks: false })],
  ...NEUTRAL.map(([name, weights]) => [`without ${name}`, searching({ weights: { ...RANK_WEIGHTS, ...weights } })] as const),
  ["everything, judged by file", OURS_BY_FILE],
  ["ripgrep, judged by file", RIPGREP],
];

/** Half of the repositories, of every language: what constants were tuned on never reports. */
export function halves(repositories: readonly CapturedRepository[]): {
  readonly reported: readonly CapturedRepository[];
  readonly tuned: readonly CapturedRepository[];
} {
  const sorted = repositories.toSorted((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1));
  const placed = [...Map.groupBy(sorted, ({ language }) => language).values()].flatMap((alike) =>
    alike.map((repository, index) => [repository, index % 2] as const),
  );
  const half = (wanted: number) => placed.flatMap(([repository, at]) => (at === wanted ? [repository] : []));
  return { reported: half(0), tuned: half(1) };
}

export function printTables(repositories: readonly CapturedRepository[]): void {
  const { reported, tuned } = halves(repositories);
  printHalf("Reported on", reported, WAYS);
  if (tuned.length > 0) {
    // For comparison alone: constants that fit these too well would do worse above.
    printHalf("Tuned on", tuned, WAYS.slice(0, 1));
  }
}

const MEASURES: readonly (readonly [string, (scores: Scores) => number])[] = [
  ["NDCG@10", (scores) => scores.ndcg],
  ["MRR", (scores) => scores.mrr],
  ["recall@1", (scores) => scores.recall1],
  ["recall@5", (scores) => scores.recall5],
  ["recall@10", (scores) => scores.recall10],
];

function printHalf(title: string, repositories: readonly CapturedRepository[], ways: readonly Way[]): void {
  const queries = repositories.flatMap(replay);
  const names = repositories.map(({ name, language }) => `${name} (${language})`).join(", ");
  console.log(`\n## ${title} ${names}: ${queries.length} queries, NDCG@10 of each family, all measures of all\n`);
  const families = FAMILIES.map((family) => [family, queries.filter(({ captured }) => captured.family === family)] as const);
  printRow(["", ...families.map(([family, { length }]) => `${family} (${length})`), ...MEASURES.map(([name]) => name)]);
  printRow(["---", ...families.map(() => "---:"), ...MEASURES.map(() => "---:")]);
  for (const [name, answer] of ways) {
    const scores = new Map(queries.map((query) => [query, scoreOf(answer, query)]));
    const meanOf = (some: readonly Replayed[]) => mean(some.flatMap((query) => scores.get(query) ?? []));
    const all = meanOf(queries);
    printRow([name, ...families.map(([, some]) => shown(meanOf(some).ndcg)), ...MEASURES.map(([, measure]) => shown(measure(all)))]);
  }
  console.log("");
  printRow(["language", "queries", ...MEASURES.map(([name]) => name), "by file", "ripgrep, by file"]);
  printRow(["---", "---:", ...MEASURES.map(() => "---:"), "---:", "---:"]);
  for (const [language, some] of Map.groupBy(queries, ({ repository }) => repository.language)) {
    const meanOf = (answer: Answering) => mean(some.map((query) => scoreOf(answer, query)));
    const [ours, byFile, ripgrep] = [meanOf(searching()), meanOf(OURS_BY_FILE), meanOf(RIPGREP)];
    printRow([
      language,
      String(some.length),
      ...MEASURES.map(([, measure]) => shown(measure(ours))),
      shown(byFile.ndcg),
      shown(ripgrep.ndcg),
    ]);
  }
}

function shown(value: number): string {
  return value.toFixed(3);
}

function printRow(cells: readonly string[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}
