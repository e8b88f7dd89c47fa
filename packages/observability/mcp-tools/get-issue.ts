import { orRefuse } from "@sightline/foundation/errors";
import { fitItems } from "@sightline/foundation/fit-items";
import { z } from "zod";
import { listEvidence, type EvidenceRow } from "#issues/issue-traces.store.ts";
import { findIssue, type IssueRow } from "#issues/list-issues.store.ts";
import { findProject, projectField } from "./find-project.ts";
import { renderIssue, versionsText } from "./list-issues.ts";
import { durationText, fenced, NOTICE, plural, recordedLine, timeText } from "./recorded-text.ts";
import { shortStepId } from "./step-ids.ts";
import { issueUnknown } from "./tools.errors.ts";
import type { ToolDefinition } from "./trace-tool.ts";

const inputSchema = z.strictObject({ project: projectField, issue: z.uuid("an issue's id").describe("Its id, as list_issues names it.") });

const MESSAGE = 600;
const NAME = 100;
const ERROR = 200;
const OVERHEAD_TOKENS = 150;

export const getIssueTool: ToolDefinition<typeof inputSchema> = {
  name: "get_issue",
  title: "An issue with its evidence",
  description: "One issue: its message, the way to where it arose, line and commits, and three of its traces to open with get_trace.",
  inputSchema,
  answer: async ({ project, issue }, { query, reader, now, call }) => {
    const { id: projectId } = await findProject({ query, reader }, project);
    const chosen = { projectId, reader, id: issue };
    const row = orRefuse(await findIssue(query, { ...chosen, now }), issueUnknown);
    const facts = describeIssue(row);
    const left = call.maxTokens - OVERHEAD_TOKENS - call.countTokens(facts);
    const evidence = fitItems(await listEvidence(query, chosen), { ...call, maxTokens: left, render: renderEvidence });
    return [
      NOTICE,
      fenced([facts, "evidence:", ...evidence.map(renderEvidence)].join("\n")),
      "get_trace opens a trace of these, read_file the line at the commit that ran.",
    ].join("\n");
  },
};

function describeIssue(row: IssueRow): string {
  const { path, kind, message } = row.facts;
  return [
    renderIssue(row),
    `error: ${recordedLine(message, MESSAGE)}`,
    `in: ${path.map((name) => recordedLine(name, NAME)).join(" > ")} (${kind})`,
    ...(row.commits.length === 0 ? [] : [`commits: ${versionsText(row.commits)}`]),
    ...(row.closed_at_commit === null ? [] : [`closed at: ${versionsText([row.closed_at_commit])}`]),
  ].join("\n");
}

function renderEvidence({ trace_id: trace, step_id: step, error, ...row }: EvidenceRow): string {
  const why = [row.is_typical ? ["typical"] : [], row.is_newest ? ["newest"] : [], row.is_shortest ? ["shortest"] : []].flat().join(", ");
  const by = row.user_id === null ? "" : `, user ${recordedLine(row.user_id, NAME)}`;
  const on = row.release === null ? "" : `, release ${versionsText([row.release])}`;
  const at = step === null ? "" : `, failed in step ${shortStepId(step)}`;
  const head = `${trace} (${why}): ${timeText(row.seen_at.toISOString())}, ${plural(row.steps, "step")}, ${durationText(row.duration_ms)}${on}${by}${at}`;
  return error === null ? head : `${head}\n  ${recordedLine(error, ERROR)}`;
}
