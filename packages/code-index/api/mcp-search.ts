import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { branchSchema, legNameSchema, legStateSchema, type SearchAnswer } from "#contract.ts";
import { search } from "#retrieval/search.ts";
import { fitResults, renderResult, type FittedResults } from "./fit-results.ts";
import { callTool, maxTokensSchema, READ_ONLY, tokensWithin, type ToolAnswer, type ToolContext } from "./mcp-tool.ts";

const inputSchema = z.object({
  query: z.string().max(10_000).describe("A question in plain words, an identifier, or code to find letter for letter."),
  repo: z.string().max(200).optional().describe("owner/repo, as list_repos names it. All repositories when left out."),
  path: z.string().max(1000).optional().describe("Part of the path, such as src/server/ or *.test.ts; * stands for anything."),
  lang: z.string().max(50).optional().describe("Language in lower case, such as go, typescript or python."),
  ref: branchSchema.optional().describe("A branch that is indexed; each repository's default one when left out."),
  limit: z.int().min(1).max(50).default(10).describe("Results at the most."),
  max_tokens: maxTokensSchema,
});

const outputSchema = z.object({
  results: z.array(
    z.object({
      repo: z.string(),
      ref: z.string(),
      commit: z.string(),
      path: z.string(),
      start_line: z.int(),
      end_line: z.int(),
      symbol: z.string().nullable(),
      score: z.number(),
      detail: z.enum(["full", "lines", "place"]),
      content: z.string().optional(),
    }),
  ),
  legs: z.record(legNameSchema, legStateSchema),
  notes: z.array(z.string()),
});

const DESCRIPTION = `Search the team's indexed repositories: by meaning, by words and letter for letter at once, best places first.
Ask a question ("where are retries backed off"), name an identifier (parseConfig) or paste code or an error message.
Results carry repo, commit, path and lines; when the answer is cut to max_tokens it says what was left out. Read on with read_file.`;

export function addSearchTool(server: McpServer, context: ToolContext): void {
  server.registerTool(
    "search",
    { title: "Search code", description: DESCRIPTION, inputSchema, outputSchema, annotations: READ_ONLY },
    ({ max_tokens: maxTokens, ...request }) =>
      callTool(context.log, "search", async () => answerFor(await search(context, context.access, request), tokensWithin(maxTokens))),
  );
}

/** Kept for the legs' states and the notes. */
const OVERHEAD_TOKENS = 150;
/** A leg's reason is for people to read, and as long as an error message may be. */
const REASON = 120;

function answerFor(answer: SearchAnswer, maxTokens: number): ToolAnswer {
  const fitted = fitResults(answer.results, maxTokens - OVERHEAD_TOKENS);
  const notes = [...notesOnCut(fitted), ...notesOnLegs(answer)];
  const found = fitted.results.map((result, index) => renderResult(result, index + 1)).join("\n");
  const text =
    answer.results.length === 0 ? "Nothing was found. Try other words, fewer filters, or list_repos for what is indexed.\n" : found;
  return {
    text: [text, ...notes].join("\n"),
    structured: { results: fitted.results, legs: shortLegs(answer), notes },
  };
}

function notesOnCut({ results, dropped }: FittedResults): string[] {
  const lines = results.filter((result) => result.detail === "lines").length;
  const places = results.filter((result) => result.detail === "place").length;
  if (lines + places + dropped === 0) {
    return [];
  }
  const parts = [
    ...(lines > 0 ? [`${lines} with matching lines only`] : []),
    ...(places > 0 ? [`${places} with their place only`] : []),
    ...(dropped > 0 ? [`${dropped} left out`] : []),
  ];
  return [`Cut to max_tokens: ${parts.join(", ")}. Use read_file for the code, or ask with a larger max_tokens.`];
}

function notesOnLegs({ legs }: SearchAnswer): string[] {
  return Object.entries(legs)
    .filter(([, { state }]) => state === "timeout" || state === "degraded" || state === "pending")
    .map(([leg, { state, reason }]) => `The ${leg} leg did not fully answer (${state}): ${(reason ?? "").slice(0, REASON)}`);
}

function shortLegs({ legs }: SearchAnswer): SearchAnswer["legs"] {
  const short = (leg: keyof SearchAnswer["legs"]) => {
    const { reason, ...state } = legs[leg];
    return reason === undefined ? state : { ...state, reason: reason.slice(0, REASON) };
  };
  return { semantic: short("semantic"), bm25: short("bm25"), exact: short("exact") };
}
