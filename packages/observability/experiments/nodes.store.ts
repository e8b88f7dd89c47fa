import { sql } from "kysely";
import type { RunFacts } from "#divergence/compare-nodes.ts";
import type { NodeFact } from "#divergence/node-facts.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn } from "#store/reader.ts";
import type { Pooled } from "./item-means.store.ts";
import type { OfExperiment, RunKey } from "./runs.store.ts";

/** Runs whose traces were not read yet. */
export async function findWithoutNodes(
  query: Query,
  { projectId, reader, experimentId, limit }: OfExperiment & { readonly limit: number },
): Promise<readonly (RunKey & { readonly trace_id: string | null })[]> {
  return query
    .selectFrom("observability.experiment_runs")
    .select(["item_id", "repetition", "attempt", "trace_id"])
    .where("project_id", "=", projectId)
    .where("experiment_id", "=", experimentId)
    .where("is_newest", "=", true)
    .where("trace_id", "is not", null)
    .where("nodes", "is", null)
    .where(hasRoleIn(reader, "viewer", projectId))
    .limit(limit)
    .execute();
}

/** Unless they are known, or were redacted meanwhile. */
export async function writeNodes(query: Query, of: OfExperiment, run: RunKey, nodes: readonly NodeFact[]): Promise<void> {
  await query
    .updateTable("observability.experiment_runs")
    .set({ nodes: JSON.stringify(nodes) })
    .where("project_id", "=", of.projectId)
    .where("experiment_id", "=", of.experimentId)
    .where("item_id", "=", run.item_id)
    .where("repetition", "=", run.repetition)
    .where("attempt", "=", run.attempt)
    .where("nodes", "is", null)
    .execute();
}

/** Items that are read, and characters of facts of one side; of more a part of the items, chosen by chance, the same for both sides. */
const MAX_ITEMS = 1_000;
const MAX_CHARACTERS = 4_000_000;

/** The newest attempts that say what they did. An evaluator of which less is better fails nothing. */
export async function listRunFacts(
  query: Query,
  { projectId, reader, experimentIds, higher }: Pooled & { readonly higher: readonly string[] },
): Promise<{ readonly runs: readonly RunFacts[]; readonly unknown: number }> {
  const statement = sql<Omit<RunFacts, "nodes"> & { readonly nodes: readonly NodeFact[] | null; readonly all: number }>`
    with every as (
      select run.experiment_id, run.item_id, run.repetition, run.attempt, run.state, run.nodes, item.version, item.cluster,
        dense_rank() over (order by md5(run.item_id::text)) as place
      from observability.experiments as experiment
      join observability.experiment_runs as run on run.project_id = experiment.project_id and run.experiment_id = experiment.id and run.is_newest
        and run.state <> 'missing'
      join observability.item_revisions as item on item.project_id = run.project_id and item.dataset_id = experiment.dataset_id and item.item_id = run.item_id
        and item.version <= experiment.dataset_version and (item.until_version is null or item.until_version > experiment.dataset_version)
      where experiment.project_id = ${projectId}::uuid and experiment.id = any(${experimentIds}::uuid[]) and ${hasRoleIn(reader, "viewer", projectId)}
    ), run as (
      select *, sum(length(nodes::text)) over (order by place, repetition, experiment_id) as total from every where place <= ${MAX_ITEMS}
    )
    select run.item_id || ' ' || run.version as item, run.cluster, (select count(*)::int from every) as "all",
      case when run.total <= ${MAX_CHARACTERS} and run.nodes::text <> '[]' then run.nodes end as nodes,
      run.state = 'failed' or exists (
        select from observability.run_scores as score
        where score.project_id = ${projectId}::uuid and score.experiment_id = run.experiment_id and score.item_id = run.item_id
          and score.repetition = run.repetition and score.attempt = run.attempt and score.is_boolean and score.value < 1
          and (score.source = 'check' or score.source = 'application' and score.name = any(${higher}::text[]))
      ) as has_failed
    from run`;
  const read = async (transaction: Query) => {
    // To compile it takes as long as to answer it.
    await sql`select set_config('jit', 'off', true)`.execute(transaction);
    return statement.execute(transaction);
  };
  const { rows } = await (query.isTransaction ? read(query) : query.transaction().execute(read));
  const runs = rows.flatMap(({ nodes, item, cluster, has_failed }) => (nodes === null ? [] : [{ item, cluster, has_failed, nodes }]));
  return { runs, unknown: (rows[0]?.all ?? 0) - runs.length };
}
