import {
  experimentPageSchema,
  experimentSchema,
  reportedRunsSchema,
  runPageSchema,
  type Experiment,
  type Run,
} from "@sightline/observability/contract";
import type { z } from "zod";
import type { EvaluationClient } from "#cli/eval/client.ts";
import type { LangfuseScore } from "./langfuse-schemas.ts";
import type { LangfuseSource, SourceExperiment, SourceRun } from "./langfuse-source.ts";
import { toRunScores } from "./run-scores.ts";
import type { ScoreOutcomes } from "./score-outcomes.ts";
import type { Tally } from "./tally.ts";
import { inBatches, writeInHalves } from "./write-in-halves.ts";

export type Importing = {
  readonly client: EvaluationClient;
  readonly source: LangfuseSource;
  readonly tally: Tally;
  readonly scores: ReadonlyMap<string, readonly LangfuseScore[]>;
  readonly outcomes: ScoreOutcomes;
  /** Whether the outputs of version 3 are asked for, trace by trace. */
  readonly outputs: boolean;
};
type Into = { readonly datasetId: string; readonly items: ReadonlyMap<string, string>; readonly known: ReadonlyMap<string, Experiment> };
type Planned = { readonly run: SourceRun; readonly item: string; readonly repetition: number };

const MAX_REPETITIONS = 100;
const MAX_RUNS = 100;

/** The experiments of a dataset that were imported before, by what Langfuse calls them; of two, where an answer was lost, the newer. */
export async function findImported(client: EvaluationClient, datasetId: string): Promise<ReadonlyMap<string, Experiment>> {
  const experiments = await readAll(client, `/experiments?dataset_id=${datasetId}`, experimentPageSchema);
  return new Map(
    experiments.toReversed().flatMap((experiment) => {
      const { langfuse_id: id } = experiment.config;
      return typeof id === "string" ? [[id, experiment]] : [];
    }),
  );
}

/** Writes an experiment with its runs and their scores, or of one that is there what is new. */
export async function importExperiment(importing: Importing, given: SourceExperiment, into: Into): Promise<void> {
  const { client, tally } = importing;
  const planned = planRuns(await given.runs(), into.items, importing);
  const before = into.known.get(given.id);
  const experiment = before ?? (await makeExperiment(client, given, into.datasetId, planned));
  tally[before === undefined ? "written" : "there"]("experiments");
  const there = before === undefined ? new Map<string, Run>() : await readRuns(client, experiment.id);
  const reports = [];
  for (const plan of planned) {
    const kept = toRunScores(plan.run, importing.scores.get(plan.run.trace) ?? [], ({ id }, reason) =>
      importing.outcomes.leave(id, reason),
    );
    const scores = [...kept.values()];
    const old = there.get(keyOf(plan.item, plan.repetition));
    const has = new Map(old?.scores.map(({ name, evaluator_version: version, value }) => [`${name}\n${version}`, value]));
    const isSame = scores.every(({ score }) => has.get(`${score.name}\n${score.evaluator_version}`) === Number(score.value));
    if (old !== undefined && isSame) {
      tally.there("runs");
      scores.forEach(({ id }) => importing.outcomes.there(id));
      continue;
    }
    // eslint-disable-next-line no-await-in-loop -- Langfuse counts what comes at once against its limits.
    const output = plan.run.output ?? (importing.outputs ? await importing.source.output(plan.run.trace) : null);
    if (plan.run.output === undefined && !importing.outputs) {
      tally.note("runs have no output: Langfuse 3 keeps it in the trace, --outputs reads each");
    }
    reports.push({
      ids: scores.map(({ id }) => id),
      report: {
        item_id: plan.item,
        repetition: plan.repetition,
        // Scores that came after the import: the run as it is now comes after what was there.
        attempt: (old?.attempt ?? 0) + 1,
        state: plan.run.hasFailed ? "failed" : "succeeded",
        output,
        scores: scores.map(({ score }) => score),
      },
    });
  }
  await writeRuns(importing, experiment.id, reports);
  if (experiment.state !== "finished") {
    await client.post(`/experiments/${experiment.id}/finish`, {});
  }
}

type Report = { readonly ids: readonly string[]; readonly report: { readonly attempt: number } };

async function writeRuns({ client, tally, outcomes }: Importing, id: string, reports: readonly Report[]): Promise<void> {
  const write = async (part: readonly Report[]) => {
    const { written, known } = reportedRunsSchema.parse(
      await client.post(`/experiments/${id}/runs`, { runs: part.map(({ report }) => report) }),
    );
    tally.written("runs", written);
    if (known > 0) {
      tally.there("runs", known);
    }
    part.flatMap(({ ids }) => ids).forEach((score) => outcomes.written(score));
  };
  for (const batch of inBatches(reports, MAX_RUNS)) {
    // eslint-disable-next-line no-await-in-loop -- an experiment takes one report after another.
    await writeInHalves(batch, write, ({ ids }, reason) => {
      tally.leftOut("runs", reason);
      ids.forEach((score) => outcomes.leave(score, "its run was left out"));
    });
  }
}

/** Of an item that ran several times, each is a repetition, in the order in which they ran. */
function planRuns(
  runs: readonly SourceRun[],
  items: ReadonlyMap<string, string>,
  { tally, scores, outcomes }: Importing,
): readonly Planned[] {
  const counts = new Map<string, number>();
  return runs
    .toSorted((a, b) => a.at.localeCompare(b.at) || a.trace.localeCompare(b.trace))
    .flatMap((run) => {
      const item = items.get(run.item);
      const repetition = counts.get(run.item) ?? 0;
      counts.set(run.item, repetition + 1);
      if (item === undefined || repetition >= MAX_REPETITIONS) {
        tally.leftOut("runs", item === undefined ? "its item is not here" : `an item has at most ${MAX_REPETITIONS} repetitions`);
        scores.get(run.trace)?.forEach(({ id }) => outcomes.leave(id, "its run was left out"));
        return [];
      }
      return [{ run, item, repetition }];
    });
}

async function makeExperiment(
  client: EvaluationClient,
  { id, name, description, metadata, at }: SourceExperiment,
  datasetId: string,
  planned: readonly Planned[],
): Promise<Experiment> {
  return experimentSchema.parse(
    await client.post("/experiments", {
      dataset_id: datasetId,
      name: name.trim().slice(0, 200) || id,
      config: { langfuse_id: id, ran_at: at, ...(description === "" ? {} : { description }), ...(metadata === null ? {} : { metadata }) },
      repetitions: Math.max(1, ...planned.map(({ repetition }) => repetition + 1)),
    }),
  );
}

async function readRuns(client: EvaluationClient, id: string): Promise<ReadonlyMap<string, Run>> {
  const runs = await readAll(client, `/experiments/${id}/runs?`, runPageSchema);
  return new Map(runs.map((run) => [keyOf(run.item_id, run.repetition), run]));
}

type Page<Row> = z.ZodType<{ readonly items: Row[]; readonly next_cursor: string | null }>;

async function readAll<Row>(client: EvaluationClient, path: string, page: Page<Row>): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const from: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    // eslint-disable-next-line no-await-in-loop -- a page says where the next begins.
    const read = page.parse(await client.get(`${path}&limit=200${from}`));
    rows.push(...read.items);
    cursor = read.next_cursor;
  }
  return rows;
}

const keyOf = (item: string, repetition: number) => `${item} ${repetition}`;
