import type { Database } from "@sightline/foundation/database/database";
import type { ObservabilitySchema } from "#schema.ts";

type Pool = Database<ObservabilitySchema>["pool"];
type PoolClient = Awaited<ReturnType<typeof connect>>;

/** On every node: what every statement asks who may see a project, and what a model costs. */
const REFERENCE_TABLES = ["projects", "project_members", "default_prices"] as const;

/** It decides into how many shards all are divided. */
const FIRST_TABLE = "traces";

/** All that is deleted with a project. Divided by project; the rows of one project are on one node, all of them. */
export const DISTRIBUTED_TABLES = [
  FIRST_TABLE,
  "observations",
  "payloads",
  "blobs",
  "blob_references",
  "released_blobs",
  "text_marks",
  "step_texts",
  "text_references",
  "deleted_traces",
  "deletions",
  "graphs",
  "scores",
  "producers",
  "ingest_gaps",
  "prices",
  "hourly",
  "hourly_marks",
  "uncounted_hours",
  "code_hours",
  "trace_entries",
  "trace_groups",
  "trace_marks",
  "repricings",
  "trace_hours",
  "trace_hour_fields",
  "datasets",
  "dataset_versions",
  "item_revisions",
  "experiments",
  "experiment_runs",
  "run_scores",
  "preferences",
  "issues",
  "issue_traces",
  "issue_marks",
  "judgements",
  "judge_spending",
  "judge_marks",
  "annotations",
  "comments",
] as const;

/** They stay where they are: little of them, and to be written while another node is away. Citus knows them, since they are joined with projects. */
const LOCAL_TABLES = [
  "deleted_projects",
  "api_keys",
  "dead_letters",
  "masking",
  "views",
  "charts",
  "score_configs",
  "prompts",
  "prompt_versions",
  "prompt_labels",
  "model_connections",
  "evaluators",
  "evaluator_versions",
  "judge_rules",
  "share_links",
  "annotation_queues",
  "comment_mentions",
  "alert_channels",
  "alert_rules",
  "alert_events",
  "alert_notifications",
] as const;

/** Every node has them. */
const FUNCTIONS = ["trace_key", "text_keys", "cost_of", "priced_name", "ensure_days"] as const;

/**
 * Divides the tables of observability over the nodes of a Citus cluster, a table in a transaction: what is done already is
 * left as it is, and a call that was broken off is gone on with. Writers wait for the table that is being moved.
 *
 * @returns what it did, a line for each table.
 * @throws {Error} which says what to do, when the database is not of a cluster with workers.
 */
export async function distributeObservability(pool: Pool): Promise<readonly string[]> {
  const client = await connect(pool);
  try {
    await client.query("set statement_timeout = 0");
    await demandCluster(client);
    const done: string[] = [];
    const known = await kindsOf(client);
    for (const name of FUNCTIONS) {
      await client.query(
        `select create_distributed_function(oid::regprocedure) from pg_proc
         where pronamespace = 'observability'::regnamespace and proname = $1`,
        [name],
      );
    }
    for (const name of REFERENCE_TABLES) {
      if (known.get(name) !== "reference") {
        await client.query("select create_reference_table($1)", [`observability.${name}`]);
        done.push(`${name}: a copy on every node`);
      }
    }
    for (const name of DISTRIBUTED_TABLES) {
      if (known.get(name) !== "distributed") {
        await (name === FIRST_TABLE
          ? client.query(`select create_distributed_table($1, 'project_id', colocate_with => 'none', shard_count => ${SHARD_COUNT})`, [
              `observability.${name}`,
            ])
          : client.query("select create_distributed_table($1, 'project_id', colocate_with => $2)", [
              `observability.${name}`,
              `observability.${FIRST_TABLE}`,
            ]));
        done.push(`${name}: divided by project`);
      }
      // What the table held before is copied, and still takes room here.
      await client.query("select truncate_local_data_after_distributing_table($1)", [`observability.${name}`]);
    }
    for (const name of LOCAL_TABLES) {
      if (known.get(name) === undefined) {
        await client.query("select citus_add_local_table_to_metadata($1)", [`observability.${name}`]);
        done.push(`${name}: stays on the coordinator`);
      }
    }
    return done;
  } finally {
    await client.query("reset statement_timeout").catch(() => undefined);
    client.release();
  }
}

async function connect(pool: Pool) {
  return pool.connect();
}

async function demandCluster(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ has_citus: boolean; has_tables: boolean }>(`
    select exists (select from pg_extension where extname = 'citus') as has_citus, to_regclass('observability.traces') is not null as has_tables`);
  if (rows[0]?.has_citus !== true) {
    throw new Error(
      "The database has no Citus. Run on every node: create extension citus. Then add the workers on the coordinator: select citus_add_node('host', 5432).",
    );
  }
  if (!rows[0].has_tables) {
    throw new Error("The database has no tables of observability yet. Run: sightline migrate up");
  }
  const { rows: nodes } = await client.query<{ has_coordinator: boolean; workers: number }>(`
    select coalesce(bool_or(groupid = 0), false) as has_coordinator,
      (count(*) filter (where groupid <> 0 and isactive and noderole = 'primary'))::int as workers
    from pg_dist_node`);
  if (nodes[0]?.has_coordinator !== true) {
    throw new Error(
      "The coordinator is not in its cluster's list of nodes. Run on it: select citus_set_coordinator_host('its address', 5432)",
    );
  }
  if (nodes[0].workers === 0) {
    throw new Error("The cluster has no workers. Add them on the coordinator: select citus_add_node('host', 5432)");
  }
}

/**
 * Room for twice as many nodes, each with a shard, unless `citus.shard_count` is set. Citus' own 32 of few nodes cost more than they bring: a batch is
 * sent to each shard by itself.
 */
const SHARD_COUNT = `(
  select case when source = 'default' then
    (select 2 * count(*) from pg_dist_node where shouldhaveshards and isactive and noderole = 'primary') else setting::int end::int
  from pg_settings where name = 'citus.shard_count')`;

/** How Citus keeps each table that it knows. */
async function kindsOf(client: PoolClient): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ name: string; kind: string }>(`
    select relname as name, citus_table_type as kind from citus_tables join pg_class on oid = table_name
    where relnamespace = 'observability'::regnamespace`);
  // One that others refer to was made known when they became reference tables, which is all there is to do.
  return new Map(rows.map(({ name, kind }) => [name, kind]));
}
