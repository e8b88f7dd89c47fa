import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TRACE_FIELDS, type Figures } from "#contract.ts";
import type { StreamEvent } from "#events/event.ts";
import { observabilityMigrations } from "#migration-set.ts";
import { seedDefaultPrices } from "#prices/prices.store.ts";
import { CONDITIONS, resolveConditions, sqlConditions } from "#query/conditions/conditions.ts";
import { sumUpTraces } from "#query/figures/sum-up-traces.ts";
import { tagTraces } from "#query/list/bulk.store.ts";
import { valuesOfField } from "#query/list/field-values.ts";
import { readListTerms } from "#query/list/list-terms.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { CONDITION_QUERIES, QUERIES_TOGETHER, type Queries } from "#testing/condition-queries.ts";
import { packHours } from "#testing/in-the-background.ts";
import { insertProject } from "#store/projects.store.ts";
import { countMarkedTraces } from "#counting/count-traces.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { writeEvents } from "#testing/write-events.ts";
import { readTraces } from "./read-traces.ts";

let database: TestDatabase<ObservabilitySchema>;
const projectId = uuidv7();
const producer = createProducer(projectId);
const random = randomOf(SEED);
const TRACES = 240;
const HOUR_MS = 3_600_000;
const BEGUN = Date.UTC(2026, 10, 20, 22, 30);
const HOURS = 30;
const common = {
  projectId,
  reader: { kind: "operator" },
  now: new Date(BEGUN + HOURS * HOUR_MS),
  from: new Date(Date.UTC(2026, 10, 20, 22)),
  to: new Date(Date.UTC(2026, 10, 23)),
} as const;

const CASES = Object.entries(CONDITIONS).flatMap(([kind, byField]) =>
  Object.keys(byField).map((field) => {
    const queries = (CONDITION_QUERIES as Readonly<Record<string, Queries>>)[`${kind} ${field}`];
    return { kind, field, packed: queries?.packed ?? [], entries: queries?.entries ?? [] };
  }),
);
const QUERIES = [...QUERIES_TOGETHER, ...CASES.flatMap(({ packed, entries }) => [...packed, ...entries])];
const context = { projectId, now: common.now, isCounted: true, isByTime: true };
const FIELDS = [undefined, "status", "user", "tag", "environment", "model", "metadata.customer", "kind", "code"];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  await seedDefaultPrices(database.query, [{ model: "m-1", input: 2, output: 10, source: "test" }]);
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "many" });
  await writeEvents(database, Array.from({ length: TRACES }, trace).flat());
  await count();
});
afterAll(() => database.drop());

test.each(CASES)("$kind $field is asked of packed hours where they know what it is about", async ({ kind, field, packed, entries }) => {
  const others = CASES.filter((each) => each.kind === kind).map((each) => each.field);
  expect([...packed, ...entries]).not.toEqual([]);
  for (const q of [...packed, ...entries]) {
    const [term] = termsIn(q);
    const asked = term !== undefined && "field" in term && others.includes(term.field) ? term.field : "any";
    const [condition] = await resolveConditions(termsIn(q), { ...context, query: database.query });
    expect([q, term?.kind, asked, condition?.columns !== undefined]).toEqual([q, kind, field, packed.includes(q)]);
    expect(packed.includes(q) ? (await read(q)).count : 1, q).toBeGreaterThan(0);
  }
});

test("every field of the query is asked for", () => {
  const asked = new Set(QUERIES.flatMap(termsIn).flatMap((term) => ("field" in term ? [term.field.split(".")[0]] : [])));
  expect(TRACE_FIELDS.map(({ name }) => name).filter((name) => !asked.has(name))).toEqual([]);
});

describe(`traces are the same as one by one (TEST_SEED=${SEED})`, () => {
  test("while no hour is packed", async () => {
    await expectAllSame();
  });

  test("when all hours are packed", async () => {
    await pack();
    const { rows } = await database.pool.query<{ hours: number; left: number }>(
      "select count(*)::int as hours, count(changed_at)::int as left from observability.trace_hours",
    );
    expect(rows).toEqual([{ hours: expect.toSatisfy((hours: number) => hours > HOURS / 2) as number, left: 0 }]);
    await expectAllSame();
  });

  test("when some have changed since, and when those are packed again", async () => {
    const { rows } = await database.pool.query<{ trace_id: string }>(
      "select trace_id from observability.trace_entries order by random() limit 4",
    );
    await tagTraces(database.query, { ...common, ids: rows.map(({ trace_id: id }) => id), add: ["beta"], remove: ["paid"] });
    await writeEvents(database, trace());
    await count();
    const { rows: changed } = await database.pool.query<{ hours: number }>(
      "select count(changed_at)::int as hours from observability.trace_hours",
    );
    expect(changed[0]?.hours).toBeGreaterThan(0);
    await expectAllSame();
    await pack();
    await expectAllSame();
  });

  test.each(["", "environment:production", "refund"])("also when only the newest are wanted: %s", async (q) => {
    for (const limit of [1, 37, 90]) {
      expect(await figuresOf(q, "tag", limit)).toEqual(await oneByOne(q, "tag", limit));
    }
    expect((await read("", undefined, TRACES)).isCut).toBe(true);
    expect((await read("", undefined, TRACES + 1)).isCut).toBe(false);
  });

  test("and packed hours are answered from alone", async () => {
    await pack();
    const before = await figuresOf("environment:production", "tag");
    await database.pool.query("delete from observability.trace_entries");
    expect(await figuresOf("environment:production", "tag")).toEqual(before);
    expect(before.total.traces.count).toBeGreaterThan(TRACES / 12);
  });
});

async function expectAllSame(): Promise<void> {
  for (const [place, q] of QUERIES.entries()) {
    for (const by of place < 3 ? FIELDS : [FIELDS[place % FIELDS.length]]) {
      expect([q, by, await figuresOf(q, by)]).toEqual([q, by, await oneByOne(q, by)]);
    }
  }
}

type Told = {
  readonly total: Figures;
  readonly series: Readonly<Record<string, Figures>>;
  readonly groups: Readonly<Record<string, Figures>>;
};

function termsIn(q: string) {
  return q.startsWith("name=") ? readListTerms({ name: q.slice("name=".length) }) : readListTerms({ q });
}

function read(q: string, by?: string, limit = 1_000) {
  return readTraces(database.query, { ...common, terms: termsIn(q), by, limit });
}

async function figuresOf(q: string, by?: string, limit = 1_000): Promise<Told> {
  const { total, series, groups } = sumUpTraces(await read(q, by, limit), { stepHours: 1, top: "traces", groups: 1_000 });
  return rounded({
    total,
    series: Object.fromEntries(series.map(({ time, ...figures }) => [time, figures])),
    groups: Object.fromEntries(
      groups.map(({ key, traces, input_tokens, output_tokens, cost, time_to_first_token }) => [
        key,
        { traces, input_tokens, output_tokens, cost, time_to_first_token },
      ]),
    ),
  });
}

/** By the database, from the entries of the traces. */
async function oneByOne(q: string, by?: string, limit = 1_000): Promise<Told> {
  const conditions = await sqlConditions(termsIn(q), { ...context, query: database.query });
  const percentiles = (column: string) => sql`percentile_cont(array[0.5, 0.95, 0.99]) within group (order by ${sql.ref(column)})`;
  type Row = Readonly<Record<"durations" | "waits", readonly number[] | null>> &
    Readonly<Record<"count" | "failures" | "input_tokens" | "output_tokens", number>> &
    Readonly<Record<"mean_duration" | "mean_wait" | "cost", number | null>> & { readonly part: keyof Told; readonly key: string };
  const { rows } = await sql<Row>`
    with chosen as (
      select * from observability.trace_entries as entry
      where entry.project_id = ${projectId}::uuid and entry.sort_at >= ${common.from} and entry.sort_at < ${common.to}
        and ${sql.join([sql`true`, ...conditions], sql` and `)}
      order by entry.sort_at desc, entry.trace_id desc limit ${limit}
    ), member as (
      select entry.*, 'total' as part, '' as key from chosen as entry
      union all
      select entry.*, 'series', to_char(entry.sort_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00.000"Z"') from chosen as entry
      union all
      select entry.*, 'groups', coalesce(said.value, '') from chosen as entry
      left join lateral (${valuesOfField(by ?? "name")}) as said (value) on true where ${by !== undefined}
    )
    select part, key, count(*), count(*) filter (where status = 'failure') as failures, ${percentiles("duration_ms")} as durations,
      avg(duration_ms) as mean_duration, ${percentiles("time_to_first_token_ms")} as waits, avg(time_to_first_token_ms) as mean_wait,
      coalesce(sum(input_tokens), 0)::bigint as input_tokens, coalesce(sum(output_tokens), 0)::bigint as output_tokens, sum(cost) as cost
    from member group by part, key`.execute(database.query);
  const figuresIn = (part: Row["part"]) =>
    Object.fromEntries(
      rows
        .filter((row) => row.part === part)
        .map((row): [string, Figures] => [
          row.key,
          {
            traces: { count: row.count, failures: row.failures, ...spread(row.durations, row.mean_duration) },
            input_tokens: row.input_tokens,
            output_tokens: row.output_tokens,
            cost: row.cost,
            time_to_first_token: spread(row.waits, row.mean_wait),
          },
        ]),
    );
  return rounded({ total: figuresIn("total")[""] ?? NOTHING, series: figuresIn("series"), groups: figuresIn("groups") });
}

const NO_TIMES = spread(null, null);
const NOTHING: Figures = {
  traces: { count: 0, failures: 0, ...NO_TIMES },
  input_tokens: 0,
  output_tokens: 0,
  cost: null,
  time_to_first_token: NO_TIMES,
};

function spread(percentiles: readonly (number | null)[] | null, mean: number | null) {
  const [p50 = null, p95 = null, p99 = null] = percentiles ?? [];
  return { p50_ms: p50, p95_ms: p95, p99_ms: p99, mean_ms: mean };
}

/** Sums are added up in another order. */
function rounded(told: Told): Told {
  return JSON.parse(
    JSON.stringify(told, (_, value: unknown) => (typeof value === "number" ? Number(value.toPrecision(11)) : value)),
  ) as Told;
}

async function count(): Promise<void> {
  while (await countMarkedTraces(database.query, projectId)) {
    // The traces that are left.
  }
}

async function pack(): Promise<void> {
  while (await packHours(database.query, 0)) {
    // The hours that are left.
  }
}

function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

function trace(): readonly StreamEvent[] {
  const trace_id = uuidv7();
  const begun = BEGUN + Math.floor(random() * HOURS * HOUR_MS);
  const at = (ms: number) => new Date(begun + ms).toISOString();
  const customer = pick([undefined, "acme", 'zeta: "north"', "ä".repeat(150), `${"long".repeat(60)}${pick(["1", "2"])}`]);
  const environment = pick([undefined, "production", "production", "staging"]);
  const user = pick([undefined, "user-1", "user-2", "ümläut"]);
  const calls = pick([[], ["m-1"], ["m-1", "m-2"], ["other:m-1"]]);
  const status = pick(["success", "success", "success", "failure", "interrupted", undefined] as const);
  const labels = { release: pick(["2026.1", "2026.2"]), version: pick(["1.4.2", "2.0.0"]), namespace: pick(["shop", "support"]) };
  return [
    producer.event("trace.start", {
      trace_id,
      name: pick(["agent", "agent refund", "clerk"]),
      started_at: at(0),
      session_id: pick(["session-1", "session-2"]),
      thread_id: pick(["thread-1", "other"]),
      ...labels,
      tags: ["beta", "paid", "free"].filter(() => random() < 0.4),
      ...(environment === undefined ? {} : { environment }),
      ...(user === undefined ? {} : { user_id: user }),
      ...(customer === undefined ? {} : { attributes: { metadata: { customer }, "otel.resource": { team: "emea" } } }),
    }),
    ...(["tool", "node"] as const)
      .filter(() => random() < 0.8)
      .flatMap((kind) => {
        const ids = { trace_id, observation_id: uuidv7() };
        const code = { file: pick(["src/find.ts", "src/pay.ts"]), line: 1, commit: pick(["4f2a91c", "77aa01d"]) };
        const name = kind === "tool" ? pick(["find", "pay"]) : pick(["plan", "act"]);
        return [
          producer.event("observation.start", { ...ids, parent_id: null, kind, name, started_at: at(1), code }),
          producer.event("observation.end", { ...ids, ended_at: at(2), duration_ms: 1, status: pick(["success", "success", "failure"]) }),
        ];
      }),
    ...calls.flatMap((model) => {
      const ids = { trace_id, observation_id: uuidv7() };
      const usage = pick([undefined, { input_tokens: pick([0, 700, 5_000, 3_000_000_000]) }, { input_tokens: 12, output_tokens: 30 }]);
      const prompt = { name: pick(["support/greeting", "support/greeting2", "refund"]), ...pick([{}, { version: "7" }]) };
      const call = { ...ids, parent_id: null, kind: "llm", name: "answer", started_at: at(1), model } as const;
      return [
        producer.event("observation.start", { ...call, ...pick([{}, { prompt }]) }),
        producer.event("observation.end", {
          ...ids,
          ended_at: at(2),
          duration_ms: 1,
          status: "success",
          ...(usage === undefined ? {} : { usage }),
          ...(random() < 0.5 ? {} : { time_to_first_token_ms: Math.round(random() * 2_000) }),
        }),
      ];
    }),
    ...(status === undefined ? [] : [status]).map((ended) =>
      producer.event("trace.end", {
        trace_id,
        ended_at: at(pick([0, 10, 1_500, random() * 9_000])),
        status: ended,
        ...(ended === "failure" ? { error: pick(["Too late", "broken"]) } : {}),
      }),
    ),
    ...(random() < 0.5 ? [producer.event("score", { trace_id, name: "helpful", value: random() })] : []),
  ];
}
