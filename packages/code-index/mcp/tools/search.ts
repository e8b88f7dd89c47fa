import { z } from "zod";
import { searchAnswerSchema, searchRequestSchema, searchResultSchema, type SearchAnswer } from "#contract.ts";
import { search, type SearchPage } from "#retrieval/search/search.ts";
import { countTokens } from "#tokens/count-tokens.ts";
import { fitItems, fitResults, renderResult, shortReasons, type FittedResult } from "#mcp/kit/fit.ts";
import { cursorField, defineTool, whereFields, type ToolAnswer } from "#mcp/kit/tool.ts";

const asked = searchRequestSchema.shape;
const answered = searchAnswerSchema.shape;

export const searchTool = defineTool({
  name: "search",
  title: "Search code",
  description: `Search the team's indexed repositories: by meaning, by words and letter for letter at once, best places first.
Ask a question ("where are retries backed off"), name an identifier (parseConfig) or paste code or an error message.
The query takes repo: path: lang: symbol: -word "phrase" /regex/ and OR. For every single match use grep, for callers find_references.
Results carry repo, path and lines; what was cut to max_tokens is said. Read on with read_file.`,
  inputSchema: z.strictObject({
    query: z
      .string()
      .max(10_000)
      .describe("A question in plain words, an identifier, a path, or code or a message to find letter for letter."),
    ...whereFields,
    limit: z.int().min(1).max(50).default(10).describe("Results at the most."),
    cursor: cursorField,
    explain: z.boolean().optional().describe("Also say what each score is made of."),
    min_commit: asked.min_commit.describe("Wait until the index of repo holds this commit, as after your own push."),
    wait_ms: z.int().min(0).max(10_000).optional().describe("How long to wait for min_commit."),
  }),
  outputSchema: z.object({
    results: z.array(
      searchResultSchema.omit({ content: true, matched_lines: true, language: true, legs: true }).extend({
        detail: z.enum(["full", "lines", "place"]).describe("What content holds: all of it, its signature and matching lines, or nothing."),
        content: z.string().optional(),
      }),
    ),
    legs: answered.legs,
    reranker: answered.reranker,
    index: answered.index.describe("Which commits the results are of."),
    min_commit: answered.min_commit,
    partial: answered.partial.describe("Whether looking had to stop early."),
    notes: answered.notes,
    next_cursor: answered.next_cursor,
  }),
  answer: async (request, call) => answerSearch(await search(call, call.access, request), call.maxTokens),
});

/** Kept for what joins the parts of an answer, and for the note on what was cut. */
const OVERHEAD_TOKENS = 60;
/** A leg's reason is for people to read, and as long as an error message may be. */
const REASON = 120;
/** Share of the answer for the commits that were searched. */
const INDEX_SHARE = 0.2;

function answerSearch(answer: SearchPage, maxTokens: number): ToolAnswer {
  const { results, partial, min_commit, reranker } = answer;
  const index = fitItems(indexesOf(answer), { maxTokens: maxTokens * INDEX_SHARE, render: renderIndex });
  const said = [...answer.notes, ...notesOnLegs(answer)];
  const around = {
    legs: shortReasons(answer.legs, REASON),
    ...(reranker === undefined ? {} : { reranker }),
    index,
    ...(min_commit === undefined ? {} : { min_commit }),
    partial,
  };
  const cursorTokens = countTokens(answer.cursorAfter(results.length));
  const roomBeside = (text: string) => maxTokens - OVERHEAD_TOKENS - countTokens(text) - cursorTokens;
  const asText = fitResults(results, { maxTokens: roomBeside([...said, ...index.map(renderIndex)].join("\n")), render: renderResult });
  const asData = fitResults(results, {
    maxTokens: roomBeside(JSON.stringify({ ...around, notes: said })),
    render: (result) => JSON.stringify(result),
  });
  const shown = Math.min(asText.length, asData.length);
  const next = shown < results.length ? answer.cursorAfter(shown) : answer.next_cursor;
  const text = asText.slice(0, shown);
  const data = asData.slice(0, shown);
  const whole = { total: results.length, hasMore: answer.next_cursor !== null };
  return {
    text: [
      results.length === 0 ? NOTHING : text.map((result, place) => renderResult(result, place + 1)).join("\n"),
      ...index.map(renderIndex),
      ...said,
      ...notesOnCut(text, whole),
      ...(next === null ? [] : [`cursor: ${next}`]),
    ].join("\n"),
    structured: { results: data, ...around, notes: [...said, ...notesOnCut(data, whole)], next_cursor: next },
  };
}

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
