import { lockKey } from "@sightline/foundation/database/advisory-lock";
import { sql, type RawBuilder, type Transaction } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";

type Writing = Transaction<ObservabilitySchema>;

/** What one transaction looks at: marks, and events of one of them. */
const MARKS = 100;
const EVENTS_OF_MARK = 500;

export type Unread = {
  /** Those with texts to be let go of first, then those that have waited longest. */
  readonly projects: readonly string[];
  /** How many events came a second of late. */
  readonly rate: number;
};

const LATE_SECONDS = 3;

/** Finds all projects with something to do. */
export async function findUnread(query: Query): Promise<Unread> {
  const { rows } = await sql<{ project_id: string; late: number }>`
    select project_id, coalesce(sum(cardinality(events)) filter (where marked_at > now() - ${LATE_SECONDS} * interval '1 second'), 0)::int as late
    from observability.text_marks group by project_id order by min(turn), min(marked_at)`.execute(query);
  return { projects: rows.map((row) => row.project_id), rate: rows.reduce((sum, { late }) => sum + late, 0) / LATE_SECONDS };
}

const NO_TRACE = "00000000-0000-0000-0000-000000000000";

/**
 * Nobody else reads this project's texts until the transaction ends. Asked of its steps: on a cluster the lock is that of the node that has them; and who drops
 * a day locks steps before payloads, too, so that the two never wait for each other.
 */
export async function lockReading(transaction: Writing, projectId: string): Promise<boolean> {
  const { rows } = await sql<{ is_mine: boolean }>`
    select pg_try_advisory_xact_lock(${lockKey("observability.texts", projectId)}) as is_mine,
      -- Nothing tells a plan how many traces refer to a text: it might go through all rows for each, in the belief that the first few do.
      set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true)
    from (
      select count(*) from observability.observations where project_id = ${projectId}::uuid and trace_id = ${NO_TRACE}::uuid
    ) as there`.execute(transaction);
  return rows[0]?.is_mine === true;
}

export type Mark = {
  readonly id: string;
  readonly trace_id: string | null;
  readonly events: readonly string[];
  readonly failed: readonly string[];
  readonly released: readonly string[];
  /** How much room the payload of each of its first events takes, in bytes. */
  readonly sizes: readonly number[];
};

/** Lists the next marks. */
export async function listMarks(transaction: Writing, projectId: string): Promise<readonly Mark[]> {
  const project = sql`${projectId}::uuid`;
  const { rows } = await sql<Mark>`
    with next as materialized (
      select id, turn, trace_id, events, failed, released from observability.text_marks
      where project_id = ${project} order by turn, id limit ${MARKS}
    )
    select next.id::text as id, next.trace_id, next.events, next.failed, next.released::text[] as released, array(
      select coalesce(pg_column_size(payload.value), 0) + coalesce(pg_column_size(payload.tool_entry), 0) + coalesce(pg_column_size(payload.reasoning), 0)
        + coalesce((
          select sum(pg_column_size(content))::int from observability.blobs
          where next.trace_id is null and project_id = ${project} and ${isNamed(sql`replace(given.event_id::text, '-', '')`)}
        ), 0)
      from unnest(next.events[1:${EVENTS_OF_MARK}::int]) with ordinality as given (event_id, place)
      left join observability.traces as trace on trace.project_id = ${project} and trace.id = next.trace_id
      left join observability.payloads as payload on payload.project_id = ${project} and payload.trace_id = next.trace_id
        and payload.event_id = given.event_id and payload.day = trace.day
      order by given.place
    ) as sizes
    from next order by next.turn, next.id`.execute(transaction);
  return rows;
}

function isNamed(beginning: RawBuilder<unknown>) {
  return sql`sha256 >= ${beginning} and sha256 < ${beginning} || 'g'`;
}

/** A mark with those of its events that are read at once. */
export type ReadMark = Mark & { readonly isWhole: boolean };

export async function settleMarks(transaction: Writing, projectId: string, marks: readonly ReadMark[]): Promise<void> {
  const whole = marks.filter(({ isWhole }) => isWhole).map(({ id }) => id);
  await sql`delete from observability.text_marks where project_id = ${projectId}::uuid and id = any(${whole}::bigint[])`.execute(
    transaction,
  );
  for (const { id, events } of marks.filter(({ isWhole }) => !isWhole)) {
    await sql`
      update observability.text_marks set events = events[${events.length + 1}::int:], failed = '{}'
      where project_id = ${projectId}::uuid and id = ${id}::bigint`.execute(transaction);
  }
}

export type Said = {
  readonly trace_id: string;
  /** The step, or the trace itself. */
  readonly owner_id: string;
  readonly value: string | null;
  readonly reasoning: string | null;
  readonly parameters: string | null;
  readonly result: string | null;
  /** Whether the value is what a tool was given. */
  readonly is_call: boolean;
};

/** Reads what events carried, and errors, of traces that are there. */
export async function readSaid(transaction: Writing, projectId: string, marks: readonly ReadMark[]): Promise<readonly Said[]> {
  const project = sql`${projectId}::uuid`;
  const { rows: traces } = await sql<{ id: string; day: string }>`
    select id, day::text as day from observability.traces
    where project_id = ${project} and id = any(${marks.flatMap(({ trace_id: id }) => id ?? [])}::uuid[])`.execute(transaction);
  const [ids, days] = [traces.map(({ id }) => id), traces.map(({ day }) => day)];
  const [events, failed] = [marks.flatMap((mark) => mark.events), marks.flatMap((mark) => mark.failed)];
  const { rows } = await sql<Said>`
    select payload.trace_id, payload.owner_id, payload.value::text as value, payload.reasoning ->> 'text' as reasoning,
      (payload.tool_entry -> 'parameters')::text as parameters, (payload.tool_entry -> 'result')::text as result,
      payload.part = 'start' and exists (
        select from observability.observations as step
        where step.project_id = ${project} and step.trace_id = payload.trace_id and step.id = payload.owner_id and step.day = payload.day and step.kind = 'tool'
      ) as is_call
    from observability.payloads as payload
    where payload.project_id = ${project} and payload.trace_id = any(${ids}::uuid[]) and payload.event_id = any(${events}::uuid[])
      and payload.day = any(${days}::date[]) and payload.part in ('start', 'end')`.execute(transaction);
  const { rows: errors } =
    failed.length === 0
      ? { rows: [] }
      : await sql<Said>`
          select trace_id, owner_id, to_json(error)::text as value, null as reasoning, null as parameters, null as result, false as is_call
          from (
            select trace_id, id as owner_id, error from observability.observations
            where project_id = ${project} and trace_id = any(${ids}::uuid[]) and id = any(${failed}::uuid[]) and day = any(${days}::date[])
            union all
            select id, id, error from observability.traces where project_id = ${project} and id = any(${failed}::uuid[]) and id = any(${ids}::uuid[])
          ) as step
          where error is not null`.execute(transaction);
  return [...rows, ...errors];
}

export type Content = { readonly sha256: string; readonly content: string };

/**
 * Reads those of the contents that are there, by the beginnings of their hashes, as hexadecimal digits: such as nobody has read, or such as are referred
 * to by what was read.
 */
export async function readContents(
  transaction: Writing,
  {
    projectId,
    beginnings,
    only,
  }: { readonly projectId: string; readonly beginnings: readonly string[]; readonly only: "unread" | "referred" },
): Promise<readonly Content[]> {
  const id = sql`('x' || left(blob.sha256, 16))::bit(64)::bigint`;
  const { rows } = await sql<Content>`
    select blob.sha256, blob.content::text as content from unnest(${beginnings}::text[]) as given (beginning)
    join observability.blobs as blob on blob.project_id = ${projectId}::uuid and ${isNamed(sql`given.beginning`)}
    where ${
      only === "referred"
        ? isReferred(projectId, id)
        : sql`not exists (
      select from observability.step_texts as text where text.project_id = ${projectId}::uuid and text.id = ${id}
    )`
    }`.execute(transaction);
  return rows;
}

/** Texts that traces have let go of, and no other has. Whoever adds a reference holds the lock that is held here. */
export async function dropUnneeded(transaction: Writing, projectId: string, ids: readonly string[]): Promise<void> {
  await sql`
    delete from observability.step_texts as text
    where text.project_id = ${projectId}::uuid and text.id = any(${ids}::bigint[]) and not ${isReferred(projectId, sql`text.id`)}`.execute(
    transaction,
  );
}

function isReferred(projectId: string, id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from observability.text_references as row where row.project_id = ${projectId}::uuid and row.texts @> array[${id}]
  )`;
}

/** The result of a reading: the words of texts by their ids; by trace, the first step that has each text; and hashes of contents. */
export type Found = {
  readonly texts: Map<string, string>;
  readonly references: Map<string, Map<string, string>>;
  readonly hashes: Set<string>;
};

export async function writeTexts(transaction: Writing, projectId: string, texts: Found["texts"]): Promise<void> {
  await sql`
    insert into observability.step_texts as t (project_id, id, words)
    select ${projectId}::uuid, given.id, given.words
    from unnest(${[...texts.keys()]}::bigint[], ${[...texts.values()]}::text[]) as given (id, words)
    on conflict (project_id, id) do update set words = excluded.words where t.words <> excluded.words`.execute(transaction);
}

/**
 * Writes which traces have which texts, and locks those that are still there until the transaction ends, so late that hardly anybody who deletes waits.
 *
 * @returns the texts of those that are gone.
 */
export async function writeReferences(
  transaction: Writing,
  projectId: string,
  references: Found["references"],
): Promise<readonly string[]> {
  const rows = [...references].map(([traceId, steps]) => ({ trace_id: traceId, texts: [...steps.keys()], steps: [...steps.values()] }));
  const { rows: locked } = await sql<{ id: string }>`
    select id from observability.traces
    where project_id = ${projectId}::uuid and id = any(${[...references.keys()]}::uuid[]) order by id for key share`.execute(transaction);
  const there = new Set(locked.map(({ id }) => id));
  const kept = rows.filter((row) => row.texts.length > 0 && there.has(row.trace_id));
  await sql`
    insert into observability.text_references (project_id, trace_id, texts, steps)
    select ${projectId}::uuid, given.trace_id, given.texts, given.steps
    from json_to_recordset(${JSON.stringify(kept)}) as given (trace_id uuid, texts bigint[], steps uuid[])`.execute(transaction);
  return rows.filter((row) => !there.has(row.trace_id)).flatMap((row) => row.texts);
}

export async function listReferences(
  transaction: Writing,
  projectId: string,
  traceIds: readonly string[],
): Promise<readonly { readonly trace_id: string; readonly texts: readonly string[] }[]> {
  const { rows } = await sql<{ trace_id: string; texts: string[] }>`
    select trace_id, texts::text[] as texts from observability.text_references
    where project_id = ${projectId}::uuid and trace_id = any(${traceIds}::uuid[])`.execute(transaction);
  return rows;
}

/** How long the oldest of what a project wrote waits, and whether what was stored before there was a search does. */
export async function findTextDelay(
  query: Query,
  projectId: string,
): Promise<{ readonly seconds: number; readonly isOlderWaiting: boolean }> {
  const ofProject = sql`observability.text_marks where project_id = ${projectId}::uuid`;
  const { rows } = await sql<{ seconds: number; is_older: boolean }>`
    select coalesce(extract(epoch from now() - (select min(marked_at) from ${ofProject} and turn < 2)), 0)::double precision as seconds,
      exists (select from ${ofProject} and turn = 2) as is_older`.execute(query);
  return { seconds: rows[0]?.seconds ?? 0, isOlderWaiting: rows[0]?.is_older ?? false };
}

/** The same of the project that has waited longest, in seconds. */
export async function findLongestTextDelay(query: Query): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(marked_at)), 0)::double precision as seconds from observability.text_marks where turn < 2`.execute(
    query,
  );
  return rows[0]?.seconds ?? 0;
}
