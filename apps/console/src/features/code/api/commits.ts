import {
  blameAnswerSchema,
  commitAnswerSchema,
  commitsAnswerSchema,
  compareAnswerSchema,
  lineHistoryAnswerSchema,
} from "@sightline/code-index/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { codeIndex, encoded } from "#http/calls.ts";
import { answerTo, pageByPage } from "#http/queries.ts";
import { type Branch, type Lines, repositoryPath } from "./files.ts";

const PAGE_SIZE = 30;
const STALE_MS = 60_000;

/** The commits of a branch, or those that changed a file, newest first. */
export function commitsQuery({ id, ref }: Branch, path?: string) {
  const call = codeIndex.get(`${repositoryPath(id)}/commits`, { query: { path, ref, limit: PAGE_SIZE }, answer: commitsAnswerSchema });
  return { ...pageByPage(["commits", id, ref, path], call), staleTime: STALE_MS };
}

/** The first commits for words of a message; the newest ones without. */
export function foundCommitsQuery({ id, ref }: Branch, query: string) {
  const call = codeIndex.get(`${repositoryPath(id)}/commits`, { query: { query, ref, limit: PAGE_SIZE }, answer: commitsAnswerSchema });
  return queryOptions({ queryKey: ["commits-found", id, ref, query], queryFn: answerTo(call), placeholderData: keepPreviousData });
}

/** The commits that changed lines of a file, newest first. */
export function lineHistoryQuery({ id, ref }: Branch, lines: Lines) {
  const call = codeIndex.get(`${repositoryPath(id)}/line-history`, { query: { ref, ...lines }, answer: lineHistoryAnswerSchema });
  return { ...pageByPage(["line-history", id, ref, lines], call), staleTime: STALE_MS };
}

/** A commit and what it changed. */
export function commitQuery({ id, ref }: Branch, commit: string) {
  const call = codeIndex.get(`${repositoryPath(id)}${encoded`/commits/${commit}`}`, { query: { ref }, answer: commitAnswerSchema });
  return queryOptions({ queryKey: ["commit", id, ref, commit], queryFn: answerTo(call), staleTime: STALE_MS });
}

/** What changed from one commit to another. */
export function compareQuery({ id, ref }: Branch, { base, head }: { readonly base: string; readonly head: string }) {
  const call = codeIndex.get(`${repositoryPath(id)}/compare`, { query: { ref, base, head }, answer: compareAnswerSchema });
  return queryOptions({ queryKey: ["compare", id, ref, base, head], queryFn: answerTo(call), staleTime: STALE_MS });
}

/** Which commit last changed each line of a file, or of the lines that are asked for. */
export function blameQuery({ id, ref }: Branch, lines: Pick<Lines, "path" | "commit"> & Partial<Lines>) {
  const call = codeIndex.get(`${repositoryPath(id)}/blame`, { query: { ref, ...lines }, answer: blameAnswerSchema });
  return queryOptions({ queryKey: ["blame", id, ref, lines], queryFn: answerTo(call), staleTime: STALE_MS });
}
