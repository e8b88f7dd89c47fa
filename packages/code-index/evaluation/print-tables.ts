import { EVIDENCE, scoreAnswer, searching, type Answering } from "./answer.ts";
import type { CapturedRepository } from "./capture-repository.ts";
import { mean, type Scores } from "./judge.ts";
import { MADE, QUESTIONS, type Family } from "./query-set.ts";
import { replay, type Replayed } from "./replay.ts";

const RIPGREP: Answering = ({ captured }) => captured.ripgrep.map((path) => ({ path }));

const BY_FILE =
  (answer: Answering): Answering =>
  (replayed) =>
    answer(replayed).map(({ path }) => ({ path }));

type Variant = readonly [name: string, answer: Answering];

const VARIANTS: readonly Variant[] = [
  ["everything", searching()],
  ["without semantic", searching({ legs: ["bm25", "exact"] })],
  ["without BM25", searching({ legs: ["exact", "semantic"] })],
  ["without exact", searching({ legs: ["bm25", "semantic"] })],
  ["BM25 alone, ranked", searching({ legs: ["bm25"] })],
  ["BM25 alone, as it is", searching({ legs: ["bm25"], ranks: false })],
  ["semantic alone, as it is", searching({ legs: ["semantic"], ranks: false })],
  ["legs fused, not ranked", searching({ ranks: false })],
  ...EVIDENCE.map((without) => [`without ${without}`, searching({ without })] as const),
];

/** Judged by file alone, as what finds files only can be. */
const VARIANTS_BY_FILE: readonly Variant[] = [
  ["everything, by file", BY_FILE(searching())],
  ["BM25 as it is, by file", BY_FILE(searching({ legs: ["bm25"], ranks: false }))],
  ["ripgrep, by file", RIPGREP],
];

/**
 * The half that reports, and the one that is chosen on: as a set says, else every other repository by language and name, so that nearly every
 * language is in both (as in train-ranking.py).
 */
export function halves(repositories: readonly CapturedRepository[]): readonly (readonly CapturedRepository[])[] {
  const placeOf = ({ language, name }: CapturedRepository) => `${language} ${name.toLowerCase()}`;
  const sorted = repositories.filter(({ half }) => half === undefined).toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  return ["judge", "choose"]
    .map((name, place) => [...sorted.filter((_, index) => index % 2 === place), ...repositories.filter(({ half }) => half === name)])
    .filter(({ length }) => length > 0);
}

/** Each half is ranked by a model that has learned from the other alone; rules and weights were chosen on the second. */
export function printTables(repositories: readonly CapturedRepository[]): void {
  for (const [index, half] of halves(repositories).entries()) {
    const isFirst = index === 0;
    printHalf(isFirst ? "Reported on" : "The other half,", half, {
      variants: isFirst ? VARIANTS : VARIANTS.slice(0, 1),
      byFile: isFirst ? VARIANTS_BY_FILE : VARIANTS_BY_FILE.slice(0, 1),
    });
  }
}

/** Where ripgrep was not installed when searches were captured it found nothing, which says nothing of it. */
const isKnown =
  (queries: readonly Replayed[]) =>
  ([, answer]: Variant) =>
    answer !== RIPGREP || queries.some(({ captured }) => captured.ripgrep.length > 0);

type Column = {
  readonly title: string;
  readonly has: (replayed: Replayed) => boolean;
  readonly measure: (scores: Scores) => number;
};

const ofFamily =
  (families: readonly Family[], isWithin = false) =>
  (replayed: Replayed) =>
    families.includes(replayed.captured.family) && (replayed.captured.within !== undefined) === isWithin;
const ndcg = (scores: Scores) => scores.ndcg;

/** NDCG@10, but for reports: how often a file of the fix is the first one, and among the first five. */
const COLUMNS: readonly Column[] = [
  { title: "questions", has: ofFamily(QUESTIONS), measure: ndcg },
  { title: "with path", has: ofFamily(QUESTIONS, true), measure: ndcg },
  ...QUESTIONS.map((family) => ({ title: family, has: ofFamily([family]), measure: ndcg })),
  { title: "report, first", has: ofFamily(["report"]), measure: (scores) => scores.hit1 },
  { title: "report, of five", has: ofFamily(["report"]), measure: (scores) => scores.hit5 },
  ...MADE.map((family) => ({ title: family, has: ofFamily([family]), measure: ndcg })),
];

type Variants = { readonly variants: readonly Variant[]; readonly byFile: readonly Variant[] };

function printHalf(title: string, repositories: readonly CapturedRepository[], { variants, byFile }: Variants): void {
  const queries = repositories.flatMap(replay);
  const names = repositories.map(({ name, language }) => `${name} (${language})`).join(", ");
  console.log(
    `\n## ${title} ${names}: ${queries.length} queries; NDCG@10, and of reports how often a file of the fix is first, among five\n`,
  );
  const columns = COLUMNS.map((column) => ({ ...column, queries: queries.filter(column.has) })).filter(
    (column) => column.queries.length > 0,
  );
  printHead(["", ...columns.map((column) => `${column.title} (${column.queries.length})`)]);
  for (const [name, answer] of [...variants, ...byFile.filter(isKnown(queries))]) {
    const scores = new Map(queries.map((query) => [query, scoreAnswer(answer, query)]));
    printRow([
      name,
      ...columns.map((column) =>
        shown(
          average(
            column.queries.map((query) => scores.get(query)),
            column.measure,
          ),
        ),
      ),
    ]);
  }
  console.log("");
  const some = columns.slice(0, 7);
  printHead(["language", "queries", ...some.map((column) => column.title), "made, all"]);
  const everything = new Map(queries.map((query) => [query, scoreAnswer(searching(), query)]));
  for (const [language, own] of Map.groupBy(queries, ({ repository }) => repository.language)) {
    const cells = [...some, { has: ofFamily(MADE), measure: ndcg }].map(({ has, measure }) =>
      average(
        own.filter(has).map((query) => everything.get(query)),
        measure,
      ),
    );
    printRow([language, String(own.length), ...cells.map(shown)]);
  }
}

function average(scores: readonly (Scores | undefined)[], measure: (scores: Scores) => number): number {
  return measure(mean(scores.filter((score) => score !== undefined)));
}

export function shown(value: number): string {
  return value.toFixed(3);
}

export function printHead(cells: readonly string[]): void {
  printRow(cells);
  printRow(cells.map((_, index) => (index === 0 ? "---" : "---:")));
}

export function printRow(cells: readonly string[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}
