import { fitItems } from "@sightline/foundation/fit-items";
import { z } from "zod";
import { listIssuesRequestSchema } from "#contract.ts";
import { listIssues, type IssueRow } from "#issues/list-issues.store.ts";
import { findProject, projectField } from "./find-project.ts";
import { codeText, fenced, NOTICE, plural, recordedLine, timeText } from "./recorded-text.ts";
import type { ToolDefinition } from "./trace-tool.ts";

const inputSchema = z.strictObject({
  project: projectField,
  state: listIssuesRequestSchema.shape.state,
  limit: z.int().min(1).max(50).default(10),
});

const TITLE = 200;
const VERSION = 40;
const OVERHEAD_TOKENS = 100;

export const listIssuesTool: ToolDefinition<typeof inputSchema> = {
  name: "list_issues",
  title: "What fails",
  description: `Issues of a project, the most frequent first: live runs that failed in the same way at the same line. How many, whose, since when, on which releases.
"Fix what fails most" starts here; get_issue opens one.`,
  inputSchema,
  answer: async ({ project, state, limit }, { query, reader, now, call }) => {
    const { id: projectId } = await findProject({ query, reader }, project);
    const found = await listIssues(query, { projectId, reader, state, sort: "count", after: undefined, limit: limit + 1, now });
    const shown = fitItems(found.slice(0, limit), { ...call, maxTokens: call.maxTokens - OVERHEAD_TOKENS, render: renderIssue });
    if (shown.length === 0) {
      return state === "open" ? "Nothing fails: the project has no open issue." : "There is no such issue.";
    }
    const more = shown.length < found.length ? ["There are more: ask with a larger limit or max_tokens."] : [];
    return [NOTICE, fenced(shown.map(renderIssue).join("\n")), ...more].join("\n");
  },
};

export function renderIssue({ id, title, state, traces, users, code, releases, ...row }: IssueRow): string {
  const often = `${plural(traces, "trace")}${users === 0 ? "" : ` of ${plural(users, "user")}`}`;
  const again = state === "open" && row.reopened_at !== null ? ", came back" : "";
  const since = `${timeText(row.first_seen.toISOString())} to ${timeText(row.last_seen.toISOString())}`;
  const seen = releases.length === 0 ? "" : `, releases ${versionsText(releases)}`;
  const head = `${id} ${recordedLine(title, TITLE)}: ${state}${again}, ${often}, ${since}${seen}`;
  return code === null ? head : `${head}\n  at ${codeText(code)}`;
}

export function versionsText(versions: readonly string[]): string {
  return versions.map((version) => recordedLine(version, VERSION)).join(", ");
}
