import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { writeEvents } from "#testing/write-events.ts";
import { countMarkedHours, packHours, sweepDeletedProjects } from "#testing/in-the-background.ts";
import { deleteProject } from "./delete-project.store.ts";
import { indexTexts } from "#text/index-texts.ts";
import { countMarkedTraces } from "#counting/count-traces.store.ts";
import { findProjectIds, insertProject } from "./projects.store.ts";
import type { Reader } from "./reader.ts";

let database: TestDatabase<ObservabilitySchema>;
const operator: Reader = { kind: "operator" };

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
afterAll(() => database.drop());

test("a deleted project leaves no row in any table that names projects, and other projects keep theirs", async () => {
  const [mine, theirs] = [await furnish(), await furnish()];
  const before = await rowsOf(theirs);
  for (const [table, count] of Object.entries(before)) {
    expect(count, `furnish() must put something into ${table}`).toBeGreaterThan(0);
  }

  expect(await deleteProject(database.query, { id: mine, reader: operator })).toBe(true);
  expect(await findProjectIds(database.query, [mine, theirs])).toEqual([theirs]);
  await sweepDeletedProjects(database.query);
  expect(await rowsOf(theirs)).toEqual(before);

  await countMarkedHours(database.query);
  expect(Object.entries(await rowsOf(mine)).filter(([, count]) => count > 0)).toEqual([]);
  expect(await deleteProject(database.query, { id: mine, reader: operator })).toBe(false);
});

test("what a consumer writes that still remembers the project goes with the next sweep", async () => {
  const id = await furnish();
  await deleteProject(database.query, { id, reader: operator });
  await sweepDeletedProjects(database.query);
  await writeEvents(database, agentRun(createProducer(id)));
  expect(await sweepDeletedProjects(database.query)).toMatchObject({ traces: 1 });
  await countMarkedHours(database.query);
  expect(Object.entries(await rowsOf(id)).filter(([, count]) => count > 0)).toEqual([]);
});

test("only an owner deletes a project, and nothing of it goes when somebody else tries", async () => {
  const id = await furnish();
  const before = await rowsOf(id);
  const reader: Reader = { kind: "user", tenantId: "tenant-1", userId: uuidv7(), isAdmin: false };
  expect(await deleteProject(database.query, { id, reader })).toBe(false);
  expect(await deleteProject(database.query, { id, reader: { ...reader, tenantId: "tenant-2", isAdmin: true } })).toBe(false);
  expect(await rowsOf(id)).toEqual(before);
});

test("sweeps of replicas at the same time do it together", async () => {
  const id = await furnish();
  await writeEvents(database, Array.from({ length: 5 }, () => agentRun(createProducer(id))).flat());
  await deleteProject(database.query, { id, reader: operator });
  const swept = await Promise.all([sweepDeletedProjects(database.query), sweepDeletedProjects(database.query)]);
  expect(swept.reduce((sum, { traces }) => sum + traces, 0)).toBe(7);
});

/** A project with something of everything that there may be of one. */
async function furnish(): Promise<string> {
  const id = uuidv7();
  await insertProject(database.query, { id, tenantId: "tenant-1", name: "mine", access: "members", ownerId: uuidv7() });
  const producer = createProducer(id);
  const traceId = uuidv7();
  await writeEvents(database, [
    ...agentRun(producer, traceId),
    producer.event("blob", { sha256: "ab".repeat(32), content: "kept" }),
    producer.event("observation.update", { trace_id: traceId, observation_id: uuidv7(), attributes: { said: { $blob: "ef".repeat(32) } } }),
    producer.event("graph", { graph_hash: "cd".repeat(32), name: "g", nodes: ["a"], edges: [] }),
    producer.event("score", { trace_id: traceId, name: "helpful", value: 1 }),
  ]);
  await countMarkedHours(database.query);
  await countMarkedTraces(database.query, id);
  await packHours(database.query, 0);
  await indexTexts(database.query, id);
  await writeEvents(database, [
    producer.event("trace.start", { trace_id: uuidv7(), name: "late", started_at: new Date().toISOString(), input: "late" }),
  ]);
  for (const statement of [
    "insert into observability.repricings (project_id, before) values ($1, gen_random_uuid()) on conflict do nothing",
    "insert into observability.uncounted_hours (project_id, day, hour, failures, since, next_try_at, error_code) values ($1, '2026-01-01', now(), 1, now(), 'infinity', '22003')",
    "insert into observability.deleted_traces (project_id, trace_id) values ($1, gen_random_uuid())",
    "insert into observability.deletions (project_id, id, kind, requested_by) values ($1, gen_random_uuid(), 'traces', 'me')",
    "insert into observability.views (id, project_id, author, name, query, sort, sort_order, columns, is_shared) values (gen_random_uuid(), $1, 'me', 'v', '', 'started', 'desc', '{}', false)",
    "insert into observability.score_configs (project_id, name, data_type, categories, changed_at, changed_by) values ($1, 's', 'number', '{}', now(), 'me')",
    "insert into observability.charts (id, project_id, author, name, measure, query, kind, place) values (gen_random_uuid(), $1, 'me', 'c', 'cost', '', 'lines', 0)",
    "insert into observability.ingest_gaps (project_id, producer_id, first_seq, last_seq) values ($1, gen_random_uuid(), 1, 2)",
    "insert into observability.dead_letters (id, stream, entry_id, project_id, reason, entry) values (gen_random_uuid(), 's', gen_random_uuid(), $1, 'r', '[]')",
    "insert into observability.prices (project_id, model, valid_from, input, output, changed_by) values ($1, 'm', date_trunc('hour', now()), 1, 1, 'me')",
    "insert into observability.masking (project_id, keys, patterns, changed_by) values ($1, '{k}', '[]', 'me')",
    "insert into observability.alert_channels (id, project_id, name, kind, host, sealed_url, created_by) values (gen_random_uuid(), $1, 'c', 'slack', 'h', 's', 'me')",
    "insert into observability.alert_rules (id, project_id, name, metric, threshold, window_minutes, filter, channel_ids, is_enabled, changed_by) values (gen_random_uuid(), $1, 'r', 'errors', 1, 5, '{}', '{}', false, 'me')",
    "insert into observability.alert_events (id, project_id, rule_id, rule_name, kind, metric, threshold, window_minutes, filter) values (gen_random_uuid(), $1, gen_random_uuid(), 'r', 'fired', 'errors', 1, 5, '{}')",
    "insert into observability.issues (project_id, id, fingerprint, title, facts) values ($1, gen_random_uuid(), 'f', 't', '{}')",
    "insert into observability.issue_traces (project_id, trace_id, issue_id, seen_at) values ($1, gen_random_uuid(), gen_random_uuid(), now())",
    "insert into observability.datasets (project_id, id, name, description, created_by) values ($1, gen_random_uuid(), 'd', '', 'me')",
    "insert into observability.dataset_versions (project_id, dataset_id, version, author, reason, added, changed, deleted) values ($1, gen_random_uuid(), 1, 'me', '', 1, 0, 0)",
    "insert into observability.item_revisions (project_id, dataset_id, item_id, version, input, expected, checks, metadata, is_required, content_hash, revision_hash) values ($1, gen_random_uuid(), gen_random_uuid(), 1, '1', '1', '[]', '{}', false, 'h', 'h')",
    "insert into observability.experiments (project_id, id, dataset_id, dataset_version, name, is_dirty, config, repetitions, evaluators, author, items) values ($1, gen_random_uuid(), gen_random_uuid(), 1, 'e', false, '{}', 1, '[]', 'me', 1)",
    "insert into observability.experiment_runs (project_id, experiment_id, item_id, repetition, attempt, state, output) values ($1, gen_random_uuid(), gen_random_uuid(), 0, 1, 'succeeded', '1')",
    "insert into observability.run_scores (project_id, experiment_id, item_id, repetition, attempt, source, name, evaluator_version, is_boolean) values ($1, gen_random_uuid(), gen_random_uuid(), 0, 1, 'check', 's', '1', true)",
    "insert into observability.preferences (project_id, newer_id, older_id, item_id, source, author, version, repetition, is_swapped, is_skipped) values ($1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'person', 'me', 0, 0, false, false)",
    "insert into observability.prompts (project_id, id, name, created_by, created_at, changed_at) values ($1, gen_random_uuid(), 'p', 'me', now(), now())",
    "insert into observability.prompt_versions (project_id, prompt_id, version, template, config, author, reason, made_at) values ($1, gen_random_uuid(), 1, '1', '{}', 'me', '', now())",
    "insert into observability.prompt_labels (project_id, prompt_id, label, version, changed_by, changed_at) values ($1, gen_random_uuid(), 'l', 1, 'me', now())",
    "insert into observability.issue_marks (project_id, trace_id) values ($1, gen_random_uuid())",
    "insert into observability.model_connections (id, project_id, name, provider, base_url, created_by) values (gen_random_uuid(), $1, 'm', 'anthropic', 'u', 'me')",
    `with made as (insert into observability.evaluators (id, project_id, name, version, created_by) values (gen_random_uuid(), $1, 'e', 1, 'me') returning id),
      version as (insert into observability.evaluator_versions (project_id, evaluator_id, version, definition, author) select $1, id, 1, '{}', 'me' from made)
     insert into observability.judge_rules (id, project_id, evaluator_id, kind, q, sampling, created_by) select gen_random_uuid(), $1, id, 'live', '', 1, 'me' from made`,
    "insert into observability.judgements (project_id, rule_id, subject, evaluator_id) values ($1, gen_random_uuid(), 's', gen_random_uuid())",
    "insert into observability.judge_spending (project_id, rule_id, day, dollars) values ($1, gen_random_uuid(), now(), 1)",
    "insert into observability.annotation_queues (id, project_id, name, rubric, scores, annotators, created_by) values (gen_random_uuid(), $1, 'q', '', '{s}', 1, 'me')",
    "insert into observability.annotations (project_id, queue_id, trace_id, slot, place) values ($1, gen_random_uuid(), gen_random_uuid(), 1, 1)",
    "insert into observability.comments (project_id, id, subject, within_id, subject_id, text, author, created_at) values ($1, gen_random_uuid(), 'trace', gen_random_uuid(), gen_random_uuid(), 't', 'me', now())",
    "insert into observability.comment_mentions (id, project_id, comment_id, user_id, next_try_at) values (gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), now())",
    "insert into observability.judge_marks (project_id, trace_id) values ($1, gen_random_uuid())",
    "insert into observability.share_links (id, project_id, trace_id, token_sha256, shows, created_by, created_at, expires_at) values (gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid()::text, '{}', 'me', now(), now())",
    "insert into observability.api_keys (id, project_id, name, prefix, key_sha256, scopes, created_by) values (gen_random_uuid(), $1, 'k', 'p', gen_random_uuid()::text, '{read}', 'me')",
  ]) {
    await database.pool.query(statement, [id]);
  }
  return id;
}

/** Of every table there is that names projects, also one that came after this test. */
async function rowsOf(projectId: string): Promise<Readonly<Record<string, number>>> {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `select columns.table_name as name
     from information_schema.columns
     join pg_class on pg_class.oid = ('observability.' || columns.table_name)::regclass and not pg_class.relispartition and relkind in ('r', 'p')
     where columns.table_schema = 'observability' and columns.column_name = 'project_id' order by 1`,
  );
  const counts: [string, number][] = [];
  for (const { name } of tables) {
    const { rows } = await database.pool.query<{ count: number }>(
      `select count(*)::int as count from observability.${name} where project_id = $1`,
      [projectId],
    );
    counts.push([name, rows[0]?.count ?? 0]);
  }
  return Object.fromEntries(counts);
}
