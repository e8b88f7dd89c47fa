import { fitItems } from "@sightline/foundation/fit-items";
import { z } from "zod";
import {
  countPendingHours,
  type Pending,
  readGroups,
  readTotal,
  type Figures,
  type GroupedBy,
  type MetricsFilter,
} from "#query/figures/metrics.store.ts";
import { findProject, projectField } from "./find-project.ts";
import { fenced, NOTICE, recordedLine, costText, durationText, plural, timeText } from "./recorded-text.ts";
import type { ToolDefinition, Reading } from "./trace-tool.ts";

const inputSchema = z.strictObject({
  project: projectField,
  hours: z.int().min(1).max(2_160).default(24).describe("How far back, in whole hours."),
  by: z
    .enum(["agent", "node", "tool", "model", "kind", "status"])
    .optional()
    .describe("Groups: runs by their names (agent), or steps by the node, tool or model they are of."),
});

type Shown = {
  readonly count: number;
  readonly failures: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost: number | null;
};
type Group = Shown & { readonly name: string };

export const traceStatsTool: ToolDefinition<typeof inputSchema> = {
  name: "trace_stats",
  title: "Figures of agents' runs",
  description: `How many runs and steps there were over the last hours, how many failed, how long they took (p50, p95), their tokens and cost.
With by, grouped: which agent, node, tool or model fails, is slow or costs the most.`,
  inputSchema,
  answer: async ({ project, hours, by }, reading) => {
    const { id, name } = await findProject(reading, project);
    const to = new Date(Math.ceil(reading.now.getTime() / HOUR_MS) * HOUR_MS);
    const from = new Date(to.getTime() - hours * HOUR_MS);
    const filter = { projectId: id, reader: reading.reader, from, to, kind: undefined, name: undefined, model: undefined };
    const pending = await countPendingHours(reading.query, filter);
    const total = await readTotal(reading.query, filter);
    const groups = by === undefined ? [] : await readGroupsBy(reading.query, filter, by);
    return answerFor({ name, from, to, pending, total, groups, by }, reading);
  },
};

const HOUR_MS = 3_600_000;
const NAME = 100;
const OVERHEAD_TOKENS = 250;

type By = NonNullable<z.infer<typeof inputSchema>["by"]>;

const GROUPED: Readonly<Record<By, readonly [by: GroupedBy, kind: "node" | "tool" | "llm" | undefined]>> = {
  agent: ["trace", undefined],
  node: ["name", "node"],
  tool: ["name", "tool"],
  model: ["model", "llm"],
  kind: ["kind", undefined],
  status: ["status", undefined],
};

function readGroupsBy(query: Reading["query"], filter: MetricsFilter, by: By): Promise<readonly Figures[]> {
  const [column, kind] = GROUPED[by];
  return readGroups(query, { ...filter, kind }, column);
}

type Found = {
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
  readonly pending: Pending;
  readonly total: readonly Figures[];
  readonly groups: readonly Figures[];
  readonly by: By | undefined;
};

function answerFor({ name, from, to, pending, total, groups, by }: Found, { call, now }: Reading): string {
  const ofTraces = by === "agent" || by === "status";
  const all = groups
    .filter(({ is_trace: isTrace }) => isTrace === ofTraces)
    .map((group): Group => ({
      name: recordedLine(group.key === null || group.key === "" ? "(none)" : group.key, NAME),
      ...present(group),
    }));
  const shown = fitItems(all, { ...call, maxTokens: call.maxTokens - OVERHEAD_TOKENS, render: renderGroup });
  const [runs, steps] = [total.find(({ is_trace: isTrace }) => isTrace), total.find(({ is_trace: isTrace }) => !isTrace)];
  const notes = [
    ...(runs === undefined && steps === undefined ? [] : ["Counts, tokens and cost are exact; p50 and p95 are estimates, within 1 %."]),
    ...(shown.length < all.length ? [`Cut to max_tokens: ${shown.length} of ${all.length} groups shown.`] : []),
    ...notesOfPending(pending),
    ...(runs === undefined && steps === undefined ? ["Nothing ran in this time."] : []),
  ];
  const project = recordedLine(name, NAME);
  const until = to < now ? to : now;
  const figures = { runs: runs === undefined ? null : present(runs), steps: steps === undefined ? null : present(steps) };
  const lines = [
    `${project}, ${timeText(from.toISOString())} to ${timeText(until.toISOString())}`,
    ...(figures.runs === null ? [] : [`runs: ${renderFigures(figures.runs)}`]),
    ...(figures.steps === null ? [] : [`steps: ${renderFigures(figures.steps)}`]),
    ...(shown.length === 0 || by === undefined ? [] : [`by ${by}:`, ...shown.map(renderGroup)]),
  ];
  return [NOTICE, fenced(lines.join("\n")), ...notes].join("\n");
}

function notesOfPending({ pending, uncounted, since }: Pending): readonly string[] {
  return [
    ...(pending > uncounted
      ? [`What arrived a moment ago is not counted yet (${plural(pending - uncounted, "hour")} to be counted anew).`]
      : []),
    ...(since === null
      ? []
      : [
          `INCOMPLETE: ${plural(uncounted, "hour")} of this time can't be counted, since ${timeText(since.toISOString())}. Use list_traces for exact numbers; an admin finds the reason in the log.`,
        ]),
  ];
}

function present({ count, failures, p50_ms: p50, p95_ms: p95, input_tokens, output_tokens, cost }: Figures): Shown {
  const rounded = (ms: number | null) => (ms === null ? null : Math.round(ms));
  return { count, failures, p50_ms: rounded(p50), p95_ms: rounded(p95), input_tokens, output_tokens, cost };
}

function renderGroup({ name, ...figures }: Group): string {
  return `  ${name}: ${renderFigures(figures)}`;
}

function renderFigures({ count, failures, p50_ms: p50, p95_ms: p95, input_tokens: input, output_tokens: output, cost }: Shown): string {
  const times = p50 === null ? "" : `, p50 about ${durationText(p50)}, p95 about ${durationText(p95)}`;
  const tokens = input + output === 0 ? "" : `, ${input} tokens in and ${output} out, ${costText(cost)}`;
  return `${count}, ${failures} failed${times}${tokens}`;
}
