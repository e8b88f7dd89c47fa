import { sql, type Transaction } from "kysely";
import type { GateVerdict, ScoreMean } from "#contract.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { tellRules } from "./tell-rules.store.ts";

/** An experiment as a message names it. */
export type NamedExperiment = {
  readonly id: string;
  readonly name: string;
  readonly dataset: string;
  readonly branch: string | null;
  readonly commit: string | null;
  readonly means: readonly ScoreMean[];
  readonly gate: GateVerdict | null;
};

/** The message says what the gate said, which CI asks as soon as the experiment has finished. */
const GATE_WAIT_S = 30;

/** Has the project's rules for experiments tell of one, in the transaction that finished it. */
export async function tellOfExperiment(transaction: Transaction<ObservabilitySchema>, projectId: string, id: string): Promise<void> {
  await tellRules(transaction, projectId, { metric: "experiments", value: null, issues: null, experimentId: id, waitS: GATE_WAIT_S });
}

/** What is known of the experiment now; null when it was deleted since. */
export async function readToldExperiment(query: Query, projectId: string, id: string): Promise<NamedExperiment | null> {
  const { rows } = await sql<NamedExperiment>`
    select experiment.id, experiment.name, dataset.name as dataset, experiment.branch, experiment.commit, experiment.means, experiment.gate
    from observability.experiments as experiment
    join observability.datasets as dataset on dataset.project_id = experiment.project_id and dataset.id = experiment.dataset_id
    where experiment.project_id = ${projectId}::uuid and experiment.id = ${id}::uuid`.execute(query);
  return rows[0] ?? null;
}
