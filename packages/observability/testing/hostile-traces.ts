import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Query } from "#schema.ts";
import { writeBatch } from "#ingest/writing/write-batch.store.ts";
import { decodeEntry } from "#events/stream-entry.ts";
import type { StreamEvent } from "#events/event.ts";
import { toRows } from "#ingest/event-rows.ts";
import { createProducer, fieldsOf, type Producer } from "./agent-run.ts";
import { graphs, lost, resumed, running } from "./hostile-graphs.ts";
import { MINUTE, step, trace, type World } from "./hostile-world.ts";
import { seedManySteps } from "./many-steps.ts";

/** Ids of traces, each of them difficult in its own way. */
export type HostileTraces = {
  /** 20,000 steps: 200 rounds of a graph, with 98 steps in each. */
  readonly many: string;
  /** A step with 1,000 children. */
  readonly fan: string;
  /** 60 levels. */
  readonly deep: string;
  /** Values of five million characters, and too long ones in every other place that has one. */
  readonly heavy: string;
  /** Names and values in all scripts, with NUL and halves of surrogate pairs. */
  readonly unicode: string;
  /** Two producers whose clocks are an hour apart. */
  readonly skewed: string;
  /** Parents that did not arrive, and starts that did not. */
  readonly orphans: string;
  /** Parents that lead in a circle. */
  readonly circle: string;
  /** It runs, and so do two steps of it: one in another. */
  readonly running: string;
  /** Interrupted, and resumed an hour later by a run of its own. */
  readonly resumed: string;
  /** Graphs in graphs whose names together are larger than an answer may be. */
  readonly graphs: string;
  /** Events that are missing. */
  readonly lost: string;
};

type SeedOptions = {
  readonly projectId: string;
  readonly now?: Date;
};

const NAMES = ["many", "fan", "deep", "heavy", "unicode", "skewed", "orphans", "circle", "running", "resumed", "graphs", "lost"] as const;

/** Fills a project with what is hard to read and to show. */
export async function seedHostileTraces(query: Query, options: SeedOptions): Promise<HostileTraces> {
  const { projectId, now = new Date() } = options;
  const ids: HostileTraces = Object.fromEntries(NAMES.map((name) => [name, uuidv7()])) as Record<(typeof NAMES)[number], string>;
  const write = (events: readonly StreamEvent[]) => writeBatch(query, { ...toRows(events.map(asReceived)), deadLetters: [] });
  const begin = now.getTime() - 30 * MINUTE;
  const world = { producer: createProducer(projectId, new Date(begin)), at: (ms: number) => new Date(begin + ms).toISOString() };
  await seedManySteps(query, { projectId, traceId: ids.many, at: new Date(begin) });
  await write([...fan(world, ids.fan), ...deep(world, ids.deep), ...unicode(world, ids.unicode), ...orphans(world, ids.orphans)]);
  for (const event of heavy(world, ids.heavy)) {
    await write([event]);
  }
  const other = createProducer(projectId, new Date(begin));
  await write([...skewed(world, ids.skewed, other), ...circle(world, ids.circle), ...resumed(world, ids.resumed)]);
  await write([...graphs(world, ids.graphs), ...lost(world, ids.lost), ...running(projectId, ids.running, now)]);
  await sql`
    insert into observability.ingest_gaps (project_id, producer_id, first_seq, last_seq)
    select project_id, end_producer, start_seq + 1, end_seq - 1 from observability.traces
    where project_id = ${projectId} and id = ${ids.lost} on conflict do nothing`.execute(query);
  return ids;
}

/** What the consumer takes from the stream: halves of surrogate pairs are mended by then. */
function asReceived(event: StreamEvent): StreamEvent {
  const decoded = decodeEntry(fieldsOf(event));
  if (!decoded.ok) {
    throw new Error(decoded.reason);
  }
  return decoded.event;
}

function fan(world: World, traceId: string): readonly StreamEvent[] {
  const root = uuidv7();
  const children = Array.from({ length: 1_000 }, (_, index) =>
    step(world, traceId, { start: { parent_id: root, kind: "tool", name: `fetch_page ${index}`, started_at: world.at(20 + index) } }),
  );
  return trace(world, traceId, "a thousand at once", [
    ...step(world, traceId, { id: root, start: { kind: "node", name: "fan out" } }),
    ...children.flat(),
  ]);
}

function deep(world: World, traceId: string): readonly StreamEvent[] {
  const ids = Array.from({ length: 60 }, () => uuidv7());
  const steps = ids.map((id, level) =>
    step(world, traceId, {
      id,
      start: { parent_id: ids[level - 1] ?? null, name: `level ${level + 1}`, started_at: world.at(10 + level) },
    }),
  );
  return trace(world, traceId, "sixty levels", steps.flat());
}

const LONG = 5_000_000;

function heavy(world: World, traceId: string): readonly StreamEvent[] {
  const { producer } = world;
  const text = "0123456789 \u{1F600}\n".repeat(LONG / 13);
  const shorter = text.slice(0, LONG / 10);
  const sha256 = "c0de".repeat(16);
  const id = uuidv7();
  const entry = { tool_name: "read_all", timestamp: world.at(900), status: "success" as const };
  const failures = Array.from({ length: 3 }, () =>
    step(world, traceId, { start: { name: "fails at length" }, end: { status: "failure", error: "e".repeat(LONG / 5) } }),
  );
  return [
    producer.event("blob", { sha256, content: { lines: shorter.repeat(5) } }),
    ...trace(
      world,
      traceId,
      "five million characters",
      [
        ...step(world, traceId, {
          id,
          start: { kind: "tool", name: "read_all", input: { text: shorter }, attributes: { text: shorter } },
          end: {
            output: [shorter],
            attributes: { more: shorter },
            reasoning: { text: "r".repeat(LONG / 10), truncated: false, original_chars: LONG / 10 },
          },
        }),
        producer.event("observation.update", { trace_id: traceId, observation_id: id, attributes: { page: shorter, small: 1 } }),
        ...step(world, traceId, {
          start: { kind: "tool", name: "by entry" },
          end: { tool_entry: { ...entry, parameters: { text }, result: shorter } },
        }),
        ...step(world, traceId, {
          start: { kind: "llm", name: "by content", model: "m-1", input: [{ $blob: sha256 }, { $blob: sha256 }] },
        }),
        ...failures.flat(),
      ],
      text,
    ),
  ];
}

const SCRIPTS =
  "مرحبا שלום 你好 नमस्ते e\u0301 \u202Eright to left\u202C \u{1F469}\u200D\u{1F4BB} \uD800 half \uDC00 zero\u0000 zalgo\u0300\u0301\u0302\u0303\u0304";

function unicode(world: World, traceId: string): readonly StreamEvent[] {
  const value = { [SCRIPTS]: SCRIPTS, lone: "\uD83D", pairs: "\u{1F600}".repeat(2_000), escaped: '\\ud800 "quoted" </script>' };
  return trace(
    world,
    traceId,
    `unicode ${SCRIPTS}`,
    [
      ...step(world, traceId, {
        start: { name: SCRIPTS, input: value, attributes: value },
        end: { output: SCRIPTS, status: "failure", error: `${"\u{1F600}".repeat(400)}${SCRIPTS}` },
      }),
    ],
    value,
  );
}

function skewed(world: World, traceId: string, other: Producer): readonly StreamEvent[] {
  const root = uuidv7();
  const elsewhere = { ...world, producer: other };
  return trace(world, traceId, "clocks an hour apart", [
    ...step(world, traceId, { id: root, start: { name: "here" } }),
    ...step(elsewhere, traceId, {
      start: { parent_id: root, name: "an hour behind", started_at: world.at(-3_600_000) },
      end: { ended_at: world.at(-3_599_500), duration_ms: 500 },
    }),
    ...step(elsewhere, traceId, {
      start: { parent_id: root, name: "an hour ahead", started_at: world.at(3_600_000) },
      end: { ended_at: world.at(3_600_500), duration_ms: 500 },
    }),
    ...step(world, traceId, {
      start: { parent_id: root, name: "goes on by itself" },
      end: { ended_at: world.at(5_000), duration_ms: 4_990 },
    }),
  ]);
}

function orphans(world: World, traceId: string): readonly StreamEvent[] {
  return trace(world, traceId, "missing parents", [
    ...step(world, traceId, { start: { parent_id: uuidv7(), name: "its parent did not arrive" } }),
    ...step(world, traceId, { start: { parent_id: uuidv7(), name: "nor did this one's", started_at: world.at(30) } }),
    ...step(world, traceId, { start: { name: "its start did not arrive" } }).slice(1),
  ]);
}

function circle(world: World, traceId: string): readonly StreamEvent[] {
  const [first, second, third, own] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  return trace(world, traceId, "parents in a circle", [
    ...step(world, traceId, { id: first, start: { parent_id: third, name: "first" } }),
    ...step(world, traceId, { id: second, start: { parent_id: first, name: "second", started_at: world.at(20) } }),
    ...step(world, traceId, { id: third, start: { parent_id: second, name: "third", started_at: world.at(30) } }),
    ...step(world, traceId, { id: own, start: { parent_id: own, name: "its own parent", started_at: world.at(40) } }),
  ]);
}
