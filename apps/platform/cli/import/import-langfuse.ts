import { importedPromptsSchema, LATEST, PRODUCTION } from "@sightline/observability/contract";
import { createEvaluationClient, RefusedError } from "#cli/eval/client.ts";
import { fetchPatiently } from "./fetch-patiently.ts";
import { findImported, importExperiment, type Importing } from "./import-experiment.ts";
import { importItems, makeDataset } from "./import-items.ts";
import type { LangfuseDataset, LangfuseScore } from "./langfuse-schemas.ts";
import { openLangfuse, type SourceExperiment } from "./langfuse-source.ts";
import { followScores } from "./score-outcomes.ts";
import { Tally } from "./tally.ts";

export type LangfuseOptions = { readonly url?: string; readonly outputs?: boolean };

/** `sightline import langfuse`: what is there already stays, and every row that was read is accounted for. */
export async function importLangfuse(options: LangfuseOptions): Promise<void> {
  const client = await createEvaluationClient(options.url, fetchPatiently);
  const source = openLangfuse(process.env);
  const tally = new Tally();
  const datasets = await source.datasets();
  const scores = await source.scores();
  const byTrace = new Map<string, LangfuseScore[]>();
  for (const score of scores) {
    const { traceId = "" } = score;
    byTrace
      .set(traceId, byTrace.get(traceId) ?? [])
      .get(traceId)
      ?.push(score);
  }
  const importing = { client, source, tally, scores: byTrace, outcomes: followScores(), outputs: options.outputs === true };
  const experiments = await readExperiments(importing, datasets);
  for (const dataset of datasets) {
    if (dataset.name.trim() === "" || dataset.name.length > 200) {
      tally.leftOut("datasets", "its name has no or over 200 characters");
      continue;
    }
    console.log(`${dataset.name} …`);
    // eslint-disable-next-line no-await-in-loop -- both sides count what comes at once against their limits.
    await importDataset(importing, dataset, experiments.get(dataset.id));
  }
  importing.outcomes.count(scores, tally);
  await importPrompts(importing);
  console.log(tally.print());
}

/** Version 4's experiments by their datasets; empty of a version 3. */
async function readExperiments({ source, tally }: Importing, datasets: readonly LangfuseDataset[]) {
  const known = new Set(datasets.map(({ id }) => id));
  const found = new Map<string, SourceExperiment[]>();
  for (const { datasetId, startTime: at, itemCount, description, ...experiment } of await source.experiments()) {
    if (typeof datasetId !== "string" || !known.has(datasetId)) {
      tally.leftOut("experiments", "of no dataset");
      tally.leftOut("runs", "of no dataset", itemCount);
      continue;
    }
    const runs = () => source.experimentItems(experiment.id);
    found.set(datasetId, [...(found.get(datasetId) ?? []), { ...experiment, description: description ?? "", at, runs }]);
  }
  return found;
}

async function importDataset(importing: Importing, dataset: LangfuseDataset, ofVersion4: readonly SourceExperiment[] | undefined) {
  const { client, source, tally } = importing;
  const read = await source.items(dataset.name);
  const made = await makeDataset(client, dataset, tally);
  const items = await importItems(client, { id: made.id, source: dataset.id }, read, tally);
  const experiments = ofVersion4 ?? (await source.runs(dataset));
  if (items.size === 0) {
    const runs = await Promise.all(experiments.map(async (experiment) => (await experiment.runs()).length));
    tally.leftOut("experiments", "its dataset has no items", experiments.length);
    tally.leftOut(
      "runs",
      "its dataset has no items",
      runs.reduce((total, count) => total + count, 0),
    );
    return;
  }
  const known = await findImported(client, made.id);
  // The oldest first: experiments are listed by when they were made here.
  for (const experiment of experiments.toSorted((a, b) => a.at.localeCompare(b.at))) {
    // eslint-disable-next-line no-await-in-loop -- for their order.
    await importExperiment(importing, experiment, { datasetId: made.id, items, known });
  }
}

/** All versions of each prompt, counted anew where Langfuse has deleted some; so that again nothing is written. */
async function importPrompts({ client, source, tally }: Importing): Promise<void> {
  for (const { name, versions } of await source.prompts()) {
    const lines: string[] = [];
    for (const version of versions.toSorted((one, other) => one - other)) {
      // eslint-disable-next-line no-await-in-loop -- Langfuse counts what comes at once against its limits.
      const { prompt: template, config, labels, commitMessage } = await source.prompt(name, version);
      const kept = labels.filter((label) => label !== LATEST && label !== PRODUCTION);
      if (labels.includes(PRODUCTION)) {
        tally.note("labels production of prompts, which an owner sets here");
      }
      const written = { name, version: lines.length + 1, template, config, reason: commitMessage ?? "", labels: kept };
      lines.push(JSON.stringify(written));
    }
    try {
      // eslint-disable-next-line no-await-in-loop -- Each is a request of its own, so that one that can't be taken costs no other.
      const { added, unchanged } = importedPromptsSchema.parse(await client.post("/prompts/import", lines.join("\n")));
      tally.written("prompts", added);
      tally.there("prompts", unchanged);
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== 400) {
        throw error;
      }
      tally.leftOut("prompts", error.message, lines.length);
    }
  }
}
