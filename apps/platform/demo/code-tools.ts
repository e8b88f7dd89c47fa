import { z } from "zod";
import type { HttpClient } from "./http-client.ts";

/** What the agent's tools do, on the real code index. */
export type CodeTools = {
  /** The best matches, a line each: `path:line symbol`. */
  readonly search: (query: string) => Promise<string>;
  /** @throws {ApiError} when there is no such file. */
  readonly readFile: (path: string) => Promise<string>;
};

const searchSchema = z.object({
  results: z.array(z.object({ path: z.string(), start_line: z.number(), end_line: z.number(), symbol: z.string().nullable() })),
});
const fileSchema = z.object({ content: z.string(), total_lines: z.number() });

const RESULTS = 5;
const LINES = 120;

export function createCodeTools(codeIndex: HttpClient, repository: { readonly id: string; readonly fullName: string }): CodeTools {
  return {
    search: async (query) => {
      const { results } = await codeIndex.post("/api/v1/search", { query, repo: repository.fullName, limit: RESULTS }, searchSchema);
      return results.map(({ path, start_line: line, symbol }) => `${path}:${line} ${symbol ?? ""}`.trim()).join("\n");
    },
    readFile: async (path) => {
      const query = new URLSearchParams({ path, start: "1", end: String(LINES) });
      const { content } = await codeIndex.get(`/api/v1/repos/${repository.id}/file?${query.toString()}`, fileSchema);
      return content;
    },
  };
}
