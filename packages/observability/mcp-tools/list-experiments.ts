import { fitItems } from "@sightline/foundation/fit-items";
import { z } from "zod";
import { nameWithUnit, type ScoreMean } from "#contract.ts";
import { countProgress, listQueues, NO_PROGRESS } from "#annotation/queues.store.ts";
import { listExperiments, type ExperimentRow } from "#experiments/experiments.store.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import type { Query } from "#schema.ts";
import type { InProject } from "#store/reader.ts";
import { findDatasetNamed, findProject, nameField, projectField } from "./find-project.ts";
import { fenced, NOTICE, plural, recordedLine, timeText } from "./recorded-text.ts";
import type { ToolDefinition } from "./trace-tool.ts";

const inputSchema = z.strictObject({
  project: projectField,
  dataset: nameField.optional().describe("A dataset's name or id; all when left out."),
  limit: z.int().min(1).max(50).default(10),
});

const NAME = 80;
const SCORES = 6;
const QUEUES = 5;
const OVERHEAD_TOKENS = 250;

export const listExperimentsTool: ToolDefinition<typeof inputSchema> = {
  name: "list_experiments",
  title: "Experiments",
  description: `Experiments of a project, the newest first: an agent run over the items of a dataset, with branch, commit and mean scores; and what waits for people to label it.
"It got worse" starts here; get_experiment compares one.`,
  inputSchema,
  answer: async ({ project, dataset, limit }, reading) => {
    const { query, reader, call } = reading;
    const of = { projectId: (await findProject(reading, project)).id, reader };
    const datasetId = dataset === undefined ? undefined : (await findDatasetNamed(reading, of, dataset)).id;
    const found = await listExperiments(query, { ...of, datasetId, branch: undefined, after: undefined, limit: limit + 1 });
    const render = (row: ExperimentRow) => [renderExperiment(row), ...meansText(row.means)].join("\n");
    const shown = fitItems(found.slice(0, limit), { ...call, maxTokens: call.maxTokens - OVERHEAD_TOKENS, render });
    const waiting = dataset === undefined ? await waitingTexts(query, of) : [];
    if (shown.length + waiting.length === 0) {
      return "There is no experiment yet.";
    }
    const more = shown.length < found.length ? ["There are more: ask with a larger limit or max_tokens."] : [];
    return [NOTICE, fenced([...shown.map(render), ...waiting].join("\n")), ...more].join("\n");
  },
};

async function waitingTexts(query: Query, of: InProject): Promise<readonly string[]> {
  const progress = await countProgress(query, of, toAuthor(of.reader));
  return (await listQueues(query, of)).slice(0, QUEUES).flatMap(({ id, name }) => {
    const { traces, done } = progress.get(id) ?? NO_PROGRESS;
    return traces === done
      ? []
      : [`Annotation queue ${recordedLine(name, NAME)}: ${traces - done} of ${plural(traces, "trace")} wait to be labelled`];
  });
}

/** In one line. */
export function renderExperiment(row: ExperimentRow): string {
  const code = [row.branch, row.commit?.slice(0, 12)].flatMap((part) => (part ? [recordedLine(part, NAME)] : [])).join("@");
  const what = [
    `${recordedLine(row.dataset, NAME)} version ${row.dataset_version}${row.split === null ? "" : `, split ${recordedLine(row.split, NAME)}`}`,
    ...(code === "" ? [] : [`${code}${row.is_dirty ? " with changes that are not committed" : ""}`]),
    `${plural(row.items, "item")}${row.repetitions === 1 ? "" : ` ×${row.repetitions}`}`,
    ...(row.failed === 0 ? [] : [`${plural(row.failed, "run")} failed`]),
    timeText(row.created_at.toISOString()),
  ];
  return `${row.id} ${recordedLine(row.name, NAME)}: ${row.state}, ${what.join(", ")}`;
}

function meansText(means: readonly ScoreMean[]): readonly string[] {
  const told = means.slice(0, SCORES).map((score) => `${recordedLine(nameWithUnit(score), NAME)} ${scoreText(score.mean)}`);
  return told.length === 0 ? [] : [`  ${told.join(", ")}`];
}

export function scoreText(value: number): string {
  return String(Number(value.toPrecision(3)));
}
