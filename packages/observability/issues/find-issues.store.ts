import { sql, type Transaction } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { tellOfIssues } from "#alerts/project/issue-alerts.store.ts";
import type { CodeLine, IssueFacts } from "#contract.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { placeRuns } from "#store/measure-runs.store.ts";
import { readFailing, type Failing } from "./failing-traces.store.ts";
import { codeNear, factsOf, fingerprintOf, titleOf } from "./issue-facts.ts";
import { lockIssues, settleIssues } from "./settle-issues.store.ts";

/** How many traces one transaction gives their issues, and how many marks it reads for them. */
const TRACES = 200;
const MARKS = 5_000;
/** Issues of a project; what fails in more ways than these is one more, of all the others. */
const MAX_ISSUES = 5_000;

const OTHERS: IssueFacts = {
  path: [],
  function: null,
  kind: "trace",
  name: "Other failures",
  error_class: null,
  message: `the project has ${MAX_ISSUES} issues, which is the most; have its errors say what varies in quotes, so that fewer are told apart`,
};

/** Finds all projects with failing traces to be given their issues. */
export async function findMarkedProjects(query: Query): Promise<readonly string[]> {
  const { rows } = await sql<{ project_id: string }>`select distinct project_id from observability.issue_marks`.execute(query);
  return rows.map((row) => row.project_id);
}

/**
 * Gives some of a project's marked traces their issues, and takes from issues the traces that fail no longer or are gone. Any number of processes may
 * do it at once: they wait for each other.
 *
 * @returns whether there are marks left.
 */
export async function findIssues(query: Query, projectId: string): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    await lockIssues(transaction, projectId);
    // Marks are taken before their traces are read, so that whatever is counted later leaves a mark that stays.
    const { rows: marked } = await sql<{ trace_id: string }>`
      with chosen as materialized (
        select distinct trace_id from (
          select trace_id from observability.issue_marks where project_id = ${projectId}::uuid order by trace_id limit ${MARKS}
        ) as waiting limit ${TRACES}
      ), taken as (
        delete from observability.issue_marks as mark using chosen where mark.project_id = ${projectId}::uuid and mark.trace_id = chosen.trace_id
      )
      select trace_id from chosen`.execute(transaction);
    const ids = marked.map((row) => row.trace_id);
    if (ids.length === 0) {
      return false;
    }
    const all = await readFailing(transaction, projectId, ids);
    const failing = all.filter((trace) => trace.isLive);
    await placeRuns(
      transaction,
      projectId,
      all.flatMap((trace) => (trace.isLive ? [] : [{ trace_id: trace.trace_id, place: placeOf(trace) }])),
    );
    const { touched, made } = await writeTraces(transaction, projectId, { ids, failing });
    const reopened = await settleIssues(transaction, projectId, touched);
    await tellOfIssues(transaction, projectId, [
      ...made.map((id) => ({ id, change: "new" as const })),
      ...reopened.map((id) => ({ id, change: "reopened" as const })),
    ]);
    const { rows: left } = await sql`select from observability.issue_marks where project_id = ${projectId}::uuid limit 1`.execute(
      transaction,
    );
    return left.length > 0;
  });
}

type Written = { readonly ids: readonly string[]; readonly failing: readonly Failing[] };

function placeOf({ steps, commit }: Failing): CodeLine {
  const { repo, commit: own, file: path, line, function: name } = codeNear(steps) ?? {};
  return { repo: repo ?? undefined, commit: own ?? commit ?? undefined, path, line: line ?? undefined, function: name ?? undefined };
}

/** @returns the issues that have other traces than before, and those of them that nobody had seen. */
async function writeTraces(
  transaction: Transaction<ObservabilitySchema>,
  projectId: string,
  { ids, failing }: Written,
): Promise<{ readonly touched: readonly string[]; readonly made: readonly string[] }> {
  const { issueOf, made } = await issuesOf(transaction, projectId, failing);
  const rows = failing.map((trace) => {
    const { repo, commit, file, line, function: name } = codeNear(trace.steps) ?? {};
    return {
      trace_id: trace.trace_id,
      issue_id: issueOf.get(trace.trace_id),
      seen_at: trace.seen_at,
      release: trace.release,
      commit: commit ?? trace.commit,
      user_id: trace.user_id,
      step_id: trace.stepId,
      code: file === undefined ? null : { repo, commit, file, line, function: name },
    };
  });
  const { rows: before } = await sql<{ issue_id: string }>`
    select distinct issue_id from observability.issue_traces where project_id = ${projectId}::uuid and trace_id = any(${ids}::uuid[])`.execute(
    transaction,
  );
  await sql`
    delete from observability.issue_traces
    where project_id = ${projectId}::uuid and trace_id = any(${ids}::uuid[]) and not trace_id = any(${rows.map((row) => row.trace_id)}::uuid[])`.execute(
    transaction,
  );
  await sql`
    insert into observability.issue_traces as known (project_id, trace_id, issue_id, seen_at, release, commit, user_id, step_id, code)
    select ${projectId}::uuid, given.* from json_to_recordset(${JSON.stringify(rows)}) as given (
      trace_id uuid, issue_id uuid, seen_at timestamptz, release text, commit text, user_id text, step_id uuid, code json
    )
    on conflict (project_id, trace_id) do update set issue_id = excluded.issue_id, seen_at = excluded.seen_at, release = excluded.release,
      commit = excluded.commit, user_id = excluded.user_id, step_id = excluded.step_id, code = excluded.code`.execute(transaction);
  return { touched: [...new Set([...before.map((row) => row.issue_id), ...issueOf.values()])], made };
}

/** The issue of each trace; those that nobody has seen yet are made. */
async function issuesOf(
  transaction: Transaction<ObservabilitySchema>,
  projectId: string,
  failing: readonly Failing[],
): Promise<{ readonly issueOf: ReadonlyMap<string, string>; readonly made: readonly string[] }> {
  const found = failing.map((trace) => {
    const facts = factsOf({ steps: trace.steps, traceName: trace.name, error: trace.error });
    return { trace_id: trace.trace_id, facts, fingerprint: fingerprintOf(projectId, facts) };
  });
  const wanted = new Map(found.map(({ facts, fingerprint }) => [fingerprint, facts]));
  const known = await findKnown(transaction, projectId, [...wanted.keys()]);
  const unknown = [...wanted].filter(([fingerprint]) => !known.has(fingerprint));
  const made: string[] = [];
  if (unknown.length > 0) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from observability.issues where project_id = ${projectId}::uuid`.execute(transaction);
    const room = Math.max(MAX_ISSUES - (rows[0]?.count ?? 0), 0);
    const others: readonly [string, IssueFacts] = [fingerprintOf(projectId, OTHERS), OTHERS];
    const missing = unknown.length > room ? [...unknown.slice(0, room), others] : unknown;
    made.push(...(await insertIssues(transaction, projectId, missing)));
    const names = missing.map(([fingerprint]) => fingerprint);
    for (const [fingerprint, id] of await findKnown(transaction, projectId, names)) {
      known.set(fingerprint, id);
    }
  }
  const rest = known.get(fingerprintOf(projectId, OTHERS));
  const issueOf = new Map(
    found.flatMap(({ trace_id: traceId, fingerprint }) => {
      const id = known.get(fingerprint) ?? rest;
      return id === undefined ? [] : [[traceId, id] as const];
    }),
  );
  return { issueOf, made };
}

async function findKnown(
  transaction: Transaction<ObservabilitySchema>,
  projectId: string,
  fingerprints: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ fingerprint: string; id: string }>`
    select fingerprint, coalesce(merged_into, id) as id from observability.issues where project_id = ${projectId}::uuid and fingerprint = any(${fingerprints}::text[])`.execute(
    transaction,
  );
  return new Map(rows.map((row) => [row.fingerprint, row.id]));
}

async function insertIssues(
  transaction: Transaction<ObservabilitySchema>,
  projectId: string,
  issues: readonly (readonly [string, IssueFacts])[],
): Promise<readonly string[]> {
  const given = issues.map(([fingerprint, facts]) => ({ id: uuidv7(), fingerprint, title: titleOf(facts), facts }));
  const { rows } = await sql<{ id: string }>`
    insert into observability.issues (project_id, id, fingerprint, title, facts)
    select ${projectId}::uuid, given.* from json_to_recordset(${JSON.stringify(given)}) as given (id uuid, fingerprint text, title text, facts json)
    on conflict (project_id, fingerprint) do nothing returning id`.execute(transaction);
  return rows.map(({ id }) => id);
}
