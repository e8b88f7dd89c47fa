import type { MatchingCommit } from "./read-commits.store.ts";
import { splitTerms, termsOfWord, splitWords } from "#store/index/terms.ts";
import { listVariants } from "#retrieval/query/variants.ts";

/** The words of a question about commits. */
export type CommitWords = {
  /** For each word all terms that stand for it: its parts and its other forms. */
  readonly queryTerms: readonly (readonly string[])[];
  readonly terms: readonly string[];
  /** The question as it was put. */
  readonly literal: string;
};

/** Words of a question that are looked at. */
const MAX_WORDS = 40;

/** `undefined` for no question at all. */
export function wordsOfQuestion(question: string): CommitWords | undefined {
  const literal = question.trim();
  if (literal === "") {
    return undefined;
  }
  const words = [...new Set(splitWords(literal).map((word) => word.toLowerCase()))].slice(0, MAX_WORDS);
  const queryTerms = words.map((word) => {
    const [whole = word] = termsOfWord(word);
    return [whole, ...listVariants(whole)];
  });
  return { queryTerms, terms: [...new Set(queryTerms.flat())], literal };
}

/** A commit must hold words that make up this share of the question's weight. */
const ENOUGH = 0.5;
/** Weight of a word in a message body of usual length. It is less in longer ones, since lists of changes hold every word. */
const IN_BODY = 0.5;
const USUAL_TERMS = 40;

/** How much each word counts, by how many commits have it; nothing where none has. */
export function weighWords(holders: readonly number[], commits: number): readonly number[] {
  return holders.map((count) => (count === 0 ? 0 : Math.log(1 + commits / count)));
}

/** Terms of which every commit that answers the question has one: of all words but the commonest, which are not enough together. */
export function deciding({ queryTerms }: CommitWords, weights: readonly number[]): readonly string[] {
  let left = ENOUGH * sumOf(weights);
  const rareLast = queryTerms
    .map((terms, index) => ({ terms, weight: weights[index] ?? 0 }))
    .toSorted((one, other) => one.weight - other.weight);
  return rareLast.flatMap(({ terms, weight }) => {
    left -= weight;
    return left > 0 ? [] : terms;
  });
}

type Ranking = { readonly words: CommitWords; readonly weights: readonly number[] };

/** The positions of commits that answer a question, best first: a word that few messages have counts more, then the newest. */
export function rankCommits(matching: readonly MatchingCommit[], { words, weights }: Ranking): readonly number[] {
  const found = matching.map((commit) => ({ ...commit, has: holding(words, new Set(commit.found)) }));
  const all = Math.max(sumOf(weights), Number.MIN_VALUE);
  return found
    .map(({ position, has, subject, terms, in_subject: inSubject, in_body: inBody }) => {
      const inBodyOf = IN_BODY / Math.sqrt(Math.max(1, terms / USUAL_TERMS));
      const inTitle = holding(words, new Set(splitTerms(subject)));
      const parts = weights.map((weight, index) => (inTitle[index] ? weight : has[index] ? weight * inBodyOf : 0));
      const share = sumOf(weights.filter((_, index) => has[index])) / all;
      const literally = inSubject ? 1 : inBody ? inBodyOf : 0;
      return { position, isHit: inSubject || inBody || share >= ENOUGH, score: sumOf(parts) / all + literally };
    })
    .filter(({ isHit }) => isHit)
    .toSorted((one, other) => other.score - one.score || other.position - one.position)
    .map(({ position }) => position);
}

/** For each word whether one of the terms stands for it. */
function holding({ queryTerms }: CommitWords, terms: ReadonlySet<string>): readonly boolean[] {
  return queryTerms.map((queryTerm) => queryTerm.some((term) => terms.has(term)));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
