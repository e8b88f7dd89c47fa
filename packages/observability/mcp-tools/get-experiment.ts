import { orRefuse } from "@sightline/foundation/errors";
import { fitItems } from "@sightline/foundation/fit-items";
import { z } from "zod";
import { DEFAULT_MARGIN, describeFirst, isByItem, nameWithUnit, type ComparedScore, type Divergence, type Gate } from "#contract.ts";
import { compareExperimentNodes } from "#experiments/compare-experiment-nodes.ts";
import { compareExperiments, type Compared } from "#experiments/compare-experiments.ts";
import type { Only } from "#experiments/compared-items.store.ts";
import { experimentNotFound } from "#experiments/experiments.errors.ts";
import { findExperiment, listExperiments, type ExperimentRow } from "#experiments/experiments.store.ts";
import { judgeExperiment } from "#experiments/judge-gate.ts";
import { listComparedItems } from "#experiments/list-compared-items.ts";
import type { InProject } from "#store/reader.ts";
import { explainItems } from "./explain-items.ts";
import { findProject, nameField, projectField } from "./find-project.ts";
import { renderExperiment, scoreText } from "./list-experiments.ts";
import { fenced, NOTICE, plural, recordedLine } from "./recorded-text.ts";
import type { Reading, ToolDefinition } from "./trace-tool.ts";

const inputSchema = z.strictObject({
  project: projectField,
  experiment: z.uuid("an experiment's id").describe("Its id, as list_experiments names it."),
  baseline: nameField
    .optional()
    .describe("A branch, whose last three are pooled, or an experiment's id; the one before it over the same dataset when left out."),
  cursor: z.string().max(500).optional().describe("The cursor of the answer before, for more items."),
});

const OVERHEAD_TOKENS = 200;
/** What an item mostly takes. */
const ITEM_TOKENS = 200;
const MAX_ITEMS = 20;
/** The part of the answer that scores may take. */
const SCORES_PART = 0.4;
const MAX_REASONS = 5;
const REASON = 200;
const NAME = 80;
const DIVERGENCE = 240;

export const getExperimentTool: ToolDefinition<typeof inputSchema> = {
  name: "get_experiment",
  title: "What got worse",
  description: `An experiment beside its baseline: for each score whether it got better or worse, then the items that got worse, the worst first: input, scores before and now, failed checks, the trace, and the line of the step that failed.
get_trace opens a trace of these. It says what is missing.`,
  inputSchema,
  answer: async ({ project, experiment, baseline: requested, cursor }, reading) => {
    const { query, reader } = reading;
    const of = { projectId: (await findProject(reading, project)).id, reader };
    const candidate = orRefuse(await findExperiment(query, { ...of, id: experiment }), experimentNotFound);
    const baseline = requested ?? (await findBefore(reading, of, candidate));
    const compared = await compareExperiments(query, { ...of, experimentId: experiment, baseline, margin: DEFAULT_MARGIN });
    const gate = judgeExperiment({ compared, baseline, primary: undefined, allowsUncalibrated: false });
    const first =
      baseline === undefined || cursor !== undefined
        ? null
        : (await compareExperimentNodes(query, { ...of, experimentId: experiment, baseline })).first_divergence;
    return answerFor({ of, compared, gate, first, cursor }, reading);
  },
};

/** Of the newest ones of the dataset. */
const LOOKED_THROUGH = 50;

async function findBefore({ query }: Reading, of: InProject, candidate: ExperimentRow): Promise<string | undefined> {
  const { dataset_id: datasetId, split, created_at: at } = candidate;
  const newest = await listExperiments(query, { ...of, datasetId, branch: undefined, after: undefined, limit: LOOKED_THROUGH });
  return newest.find(
    (row) => row.id !== candidate.id && row.created_at <= at && row.split === split && row.state === "finished" && !row.is_dirty,
  )?.id;
}

type Comparing = {
  readonly of: InProject;
  readonly compared: Compared;
  readonly gate: Pick<Gate, "outcome" | "reasons" | "scores">;
  readonly first: Divergence | null;
  readonly cursor: string | undefined;
};

async function answerFor({ of, compared, gate, first, cursor }: Comparing, reading: Reading): Promise<string> {
  const { call, query } = reading;
  const { candidate, baseline, shown } = compared;
  const budget = call.maxTokens - OVERHEAD_TOKENS;
  const about = [
    ...describe(compared, gate),
    ...(first === null ? [] : [recordedLine(`first divergence: ${describeFirst(first)}`, DIVERGENCE)]),
  ];
  const scores = fitItems(shown.scores, { ...call, maxTokens: budget * SCORES_PART, render: renderScore });
  const listing = { ...of, candidate, baseline, ...chooseItems(compared) };
  const limit = Math.min(Math.max(Math.floor(budget / ITEM_TOKENS), 1), MAX_ITEMS);
  const page = await listComparedItems(query, { ...listing, cursor, limit });
  const items = await explainItems(reading, { ...of, experimentId: candidate.id }, page.items);
  const head = [...about, ...scores.map(renderScore)];
  const left = budget - call.countTokens(head.join("\n"));
  const told = fitItems(items, { ...call, maxTokens: left, render: (text) => text });
  const cut = told.length < items.length ? await listComparedItems(query, { ...listing, cursor, limit: told.length }) : page;
  const which = listing.only === "worse" ? `items that got worse by ${recordedLine(listing.score ?? "", NAME)}:` : "items that fail:";
  const notes = [
    ...(scores.length < shown.scores.length
      ? [`${plural(shown.scores.length - scores.length, "score")} not shown: ask with a larger max_tokens.`]
      : []),
    ...(items.length === 0 ? [cursor === undefined ? "No item got worse or fails." : "There are no more items."] : []),
    ...(cut.next_cursor === null ? [] : [`More items with cursor=${cut.next_cursor}`]),
  ];
  return [NOTICE, fenced([...head, ...(told.length === 0 ? [] : [which, ...told])].join("\n")), ...notes].join("\n");
}

function describe({ candidate, baseline, shown }: Compared, { outcome, reasons, scores }: Comparing["gate"]): readonly string[] {
  const { changed, only_candidate: added, only_baseline: gone } = shown.unpaired;
  const ofScores = new Set(scores.map(({ name, reason }) => `${name}: ${reason}`));
  const decisive = outcome === "passed" ? [] : scores.filter((score) => score.outcome === outcome).map(({ name }) => name);
  const unpaired = changed + added + gone;
  return [
    renderExperiment(candidate),
    ...baseline.map((row) => `beside ${renderExperiment(row)}`),
    `gate: ${outcome}${decisive.length === 0 ? "" : `, by ${recordedLine(decisive.join(", "), REASON)}`}`,
    ...reasons
      .filter((reason) => !ofScores.has(reason))
      .slice(0, MAX_REASONS)
      .map((reason) => `  ${recordedLine(reason, REASON)}`),
    ...(unpaired === 0 ? [] : [`not compared: ${changed} items changed since, ${added} only here, ${gone} only in the baseline`]),
  ];
}

function renderScore({ candidate: { mean, missing }, baseline, difference, ...score }: ComparedScore): string {
  const now = mean === null ? "none" : scoreText(mean);
  const lacking = missing === 0 ? "" : `, ${missing} missing`;
  if (difference === null || baseline === null) {
    return `score ${recordedLine(nameWithUnit(score), NAME)}: ${now}${lacking}`;
  }
  const { value, low, high, verdict, items, improved, worsened } = difference;
  const before = baseline.mean === null ? "none" : scoreText(baseline.mean);
  return `score ${recordedLine(nameWithUnit(score), NAME)}: ${verdict.replace("_", " ")}, ${before} → ${now}, Δ ${scoreText(value)} (95%: ${scoreText(low)} to ${scoreText(high)}), ${plural(items, "item")}, ${improved} better, ${worsened} worse${lacking}`;
}

/** Those that got worse by the score that fell most; where none did, those that fail. */
function chooseItems({ scores }: Compared): { readonly score: string | undefined; readonly only: Only } {
  const fallen = scores
    .flatMap(({ shown: { name, source, difference, higher_is_better: isHigher } }) =>
      source !== "run" && difference !== null && difference.worsened > 0
        ? [{ name, isTold: difference.verdict === "worse", change: isHigher ? difference.value : -difference.value }]
        : [],
    )
    .toSorted((one, other) => Number(other.isTold) - Number(one.isTold) || one.change - other.change);
  if (fallen[0] !== undefined) {
    return { score: fallen[0].name, only: "worse" };
  }
  const checks = scores.find(({ shown }) => isByItem(shown))?.shown.name;
  return { score: checks, only: checks === undefined ? "failed" : "failing" };
}
