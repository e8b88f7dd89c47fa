import { commitsAnswerSchema } from "@sightline/code-index/contract";
import { codeIndex } from "#http/calls.ts";
import { pageByPage } from "#http/queries.ts";
import { type Branch, pathOf } from "./files.ts";

const PAGE_SIZE = 30;

/** The commits that changed a file, newest first. */
export function commitsQuery({ id, ref }: Branch, path: string) {
  const call = codeIndex.get(`${pathOf(id)}/commits`, { query: { path, ref, limit: PAGE_SIZE }, answer: commitsAnswerSchema });
  return { ...pageByPage(["commits", id, ref, path], call), staleTime: 60_000 };
}
