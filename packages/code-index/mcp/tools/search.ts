import { z } from "zod";
import { searchRequestSchema, type SearchAnswer } from "#contract.ts";
import { search, type SearchPage } from "#retrieval/search/search.ts";
import { countTokens } from "#tokens/count-tokens.ts";
import { fitItems, fitResults, renderResult, type FittedResult } from "#mcp/kit/fit.ts";
import { cursorField, defineTool, textField, whereFields } from "#mcp/kit/tool.ts";

const asked = searchRequestSchema.shape;

export const searchTool = defineTool({
  name: "search",
  title: "Search code",
  description: `Search the team's indexed repositories: by meaning, by words and letter for letter at once, best places first.
Ask a question ("where are retries backed off"), name an identifier (parseConfig) or paste code or an error message.
The query takes repo: path: lang: symbol: -word "phrase" /regex/ and OR. For every single match use grep, for callers find_references.
Results carry repo, path and lines; what was cut is said. Read on with read_file.`,
  inputSchema: z.strictObject({
    query: textField(10_000, "A question, a name, a path, or code or a message to find letter for letter.", 0),
    ...whereFields,
    limit: z.int().min(1).max(50).default(10).describe("Files at the most."),
    cursor: cursorField,
    min_commit: asked.min_commit.describe("Wait until repo's index holds it, as after your push."),
    wait_ms: z.int().min(0).max(10_000).optional().describe("How long to wait for min_commit."),
  }),
  answer: async (request, call) => answerSearch(await search(call, call.access, { ...request, one_per_file: true }), call.maxTokens),
});

/** Kept for what joins the parts of an answer, and for the note on what was cut. */
const OVERHEAD_TOKENS = 60;
/** A leg's reason is for people to read, and as long as an error message may be. */
const REASON = 120;
/** Share of the answer for the commits that were searched. */
const INDEX_SHARE = 0.2;

function answerSearch(answer: SearchPage, maxTokens: number): string {
  // A guess is worth a look, not the room of an answer; its notes, which say that it is one, come first.
  const { isGuess, partial, min_commit: awaited } = answer;
  const results = isGuess ? answer.results.slice(0, NEAR_RESULTS) : answer.results;
  const index = fitItems(indexesOf(answer), { maxTokens: maxTokens * INDEX_SHARE, render: renderIndex });
  const statements = [
    ...answer.notes,
    ...notesOnLegs(answer),
    ...(partial ? ["Looking had to stop early: there may be more."] : []),
    ...(awaited?.reached === false ? [`The index does not hold ${awaited.commit} yet, after ${awaited.waited_ms} ms.`] : []),
  ];
  const cursorTokens = countTokens(answer.cursorAfter(results.length));
  const spent = countTokens([...statements, ...index.map(renderIndex)].join("\n")) + cursorTokens + OVERHEAD_TOKENS;
  const room = maxTokens - spent;
  const shown = fitResults(results, { maxTokens: isGuess ? Math.min(room, NEAR_TOKENS) : room, render: renderResult });
  const next = shown.length < results.length ? answer.cursorAfter(shown.length) : isGuess ? null : answer.next_cursor;
  return [
    ...(isGuess ? statements : []),
    results.length === 0 ? NOTHING : shown.map((result, place) => renderResult(result, place + 1)).join("\n"),
    ...index.map(renderIndex),
    ...(isGuess ? [] : statements),
    ...(isGuess ? [] : notesOnCut(shown, { total: results.length, hasMore: answer.next_cursor !== null })),
    ...(next === null ? [] : [`cursor: ${next}`]),
  ].join("\n");
}

const NEAR_RESULTS = 3;
const NEAR_TOKENS = 400;
const NOTHING = "Nothing was found. Try other words, fewer filters, or list_repos for what is indexed.\n";

/** Indexes with results come first. */
function indexesOf({ index, results }: SearchAnswer): SearchAnswer["index"] {
  const found = new Set(results.map(({ repo }) => repo));
  return index.toSorted((one, other) => Number(found.has(other.repo)) - Number(found.has(one.repo)));
}

function renderIndex({ repo, ref, commit, behind }: SearchAnswer["index"][number]): string {
  return `${repo}@${commit} (${ref}${behind > 0 ? `, ${behind} pushes behind` : ""})`;
}

type Whole = { readonly total: number; readonly hasMore: boolean };

function notesOnCut(shown: readonly FittedResult[], { total, hasMore }: Whole): string[] {
  const count = (detail: FittedResult["detail"]) => shown.filter((result) => result.detail === detail).length;
  const counts = [
    [count("lines"), "with signature and matching lines only"],
    [count("place"), "with their place only"],
    [total - shown.length, "left out"],
  ] as const;
  const parts = counts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  return [
    ...(parts.length === 0 ? [] : [`Cut to max_tokens: ${parts.join(", ")}. Use read_file for the code, or ask with a larger max_tokens.`]),
    ...(hasMore && parts.length === 0 ? ["There are more; go on with cursor."] : []),
  ];
}

function notesOnLegs({ legs, reranker }: SearchAnswer): string[] {
  const late = Object.entries(legs)
    .filter(([, { state }]) => state === "timeout" || state === "degraded" || state === "pending")
    .map(([leg, { state, reason }]) => `The ${leg} leg did not fully answer (${state}): ${(reason ?? "").slice(0, REASON)}`);
  const unranked = reranker !== undefined && (reranker.state === "timeout" || reranker.state === "degraded");
  return unranked ? [...late, `The reranker did not answer (${reranker.state}): ${(reranker.reason ?? "").slice(0, REASON)}`] : late;
}
