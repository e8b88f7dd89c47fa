import { runScript } from "#scripts.ts";

export const ITEMS = 10_000;
export const EXPERIMENTS = 50;
const RUN_SQL = "packages/foundation/testing/run-sql.ts";

/** The newest, which are compared by what they did; of all it would be gigabytes. */
const WITH_NODES = 4;
const NODES = 12;

export type Filled = { readonly projectId: string; readonly tenantId: string; readonly datasetId: string };

/**
 * A dataset and its experiments of one score a run: all but the newest on `main`, a day apart. Nine of ten items pass, the newest breaks one
 * in fifty more. Outputs have 1 KB, those of one item in a hundred 200 KB.
 */
export async function fillExperiments(url: string, { projectId, tenantId, datasetId }: Filled): Promise<void> {
  const run = (statement: string) => runScript(RUN_SQL, url, statement);
  const id = (number: string) => `('00000000-0000-4000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
  await run(`insert into observability.projects (id, tenant_id, name) values ('${projectId}', '${tenantId}', 'bench');
    insert into observability.datasets (project_id, id, name, description, version, items, created_by)
      values ('${projectId}', '${datasetId}', 'bench', '', 1, ${ITEMS}, 'bench');
    insert into observability.dataset_versions (project_id, dataset_id, version, author, reason, added, changed, deleted)
      values ('${projectId}', '${datasetId}', 1, 'bench', '', ${ITEMS}, 0, 0);
    insert into observability.item_revisions (project_id, dataset_id, item_id, version, input, expected, checks, metadata, is_required, content_hash, revision_hash)
      select '${projectId}', '${datasetId}', ${id("i")}, 1, json_build_object('question', repeat(md5(i::text), 16)), to_json(repeat(md5(i::text), 6)),
        '[]', '{}', i % 100 = 0, md5(i::text), md5(i::text) from generate_series(1, ${ITEMS}) as i;
    insert into observability.experiments (project_id, id, dataset_id, dataset_version, name, branch, commit, is_dirty, config, repetitions, evaluators,
        author, state, created_at, ended_at, items)
      select '${projectId}', ${id(`${ITEMS} + e`)}, '${datasetId}', 1, 'nightly ' || e, case when e = ${EXPERIMENTS} then 'change' else 'main' end, md5(e::text), false,
        '{}', 1, '[{"name": "exact", "version": "1", "higher_is_better": true}]', 'bench', 'finished', at, at, ${ITEMS}
      from generate_series(1, ${EXPERIMENTS}) as e cross join lateral (select now() - (${EXPERIMENTS} - e) * interval '1 day' as at) as made`);
  for (let experiment = 1; experiment <= EXPERIMENTS; experiment += 1) {
    await run(`insert into observability.experiment_runs (project_id, experiment_id, item_id, repetition, attempt, state, output, duration_ms, cost, tokens, checks, nodes)
        select '${projectId}', ${id(`${ITEMS + experiment}`)}, ${id("i")}, 0, 1, 'succeeded',
          json_build_object('answer', repeat(md5((i * ${experiment})::text), case when i % 100 = 0 then 6400 else 32 end)), 900 + i % 100, 0.001 + i % 10 / 1e4, 500 + i % 50, '[]',
          ${experiment > EXPERIMENTS - WITH_NODES ? nodesOf(experiment) : "null"}
        from generate_series(1, ${ITEMS}) as i;
      insert into observability.run_scores (project_id, experiment_id, item_id, repetition, attempt, source, name, evaluator_version, value, is_boolean)
        select '${projectId}', ${id(`${ITEMS + experiment}`)}, ${id("i")}, 0, 1, 'application', 'exact', '1',
          case when (i * 7 + ${experiment} * 13) % 100 < 10 or (${experiment} = ${EXPERIMENTS} and i % 50 = 1) then 0 else 1 end, true
        from generate_series(1, ${ITEMS}) as i`);
  }
  for (const table of ["datasets", "item_revisions", "experiments", "experiment_runs", "run_scores"]) {
    await run(`vacuum analyze observability.${table}`);
  }
}

/** What run `i` did: a graph's nodes one after the other; the newest breaks one in fifty more at its third. */
function nodesOf(experiment: number): string {
  const isBroken = experiment === EXPERIMENTS ? "node = 3 and i % 50 = 1" : "false";
  return `(select json_agg(json_build_object('path', 'agent › node ' || node, 'kind', 'node', 'begins', node * 2, 'ends', node * 2 + 1,
    'edge', case when ${isBroken} then 'refund' else 'node ' || node + 1 end, 'has_failed', false, 'input', null,
    'output', json_build_object('messages', left(md5((i * node)::text), 12)), 'duration_ms', 10 + (i * node) % 40, 'cost', null,
    'place', json_build_object('path', 'src/agent.ts', 'function', 'node' || node, 'line', node * 10), 'caller', null))
    from generate_series(1, ${NODES}) as node)`;
}
