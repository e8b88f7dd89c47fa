import { v7 as uuidv7 } from "uuid";
import { encodeEvent, type StreamFields } from "#events/stream-entry.ts";
import type { EventType, StreamEvent } from "#events/event.ts";
import { shuffled } from "@sightline/foundation/testing/random";

/** What becomes of an entry that arrives: a row, or a dead letter because it cannot be read, is refused by the database, is of no project, or is no event at all. */
export type Fate = "row" | "unreadable" | "refused" | "homeless" | "garbage";

/** An entry, and who it is to be recognised by afterwards. */
export type NumberedEntry = {
  readonly fields: StreamFields;
  readonly fate: Fate;
  readonly id: string;
  readonly producerId: string;
  readonly seq: number;
};

export type NumberedProducer = {
  readonly projectId: string;
  readonly producerId: string;
  /** The next `count` entries or a few more, ends before starts among them. */
  readonly next: (count: number) => readonly NumberedEntry[];
  /** The last entry: how many there were. */
  readonly bye: () => NumberedEntry;
};

const POISON: readonly Fate[] = ["unreadable", "refused", "homeless", "garbage"];

type ProducerOptions = {
  readonly projectId: string;
  readonly homelessProjectId: string;
  readonly random: () => number;
  /** The share of entries that are poison. */
  readonly poison: number;
};

/** Numbers its events as the SDK does; entries that are to have no number in it come from beside it. */
export function createNumberedProducer({ projectId, homelessProjectId, random, poison }: ProducerOptions): NumberedProducer {
  const producerId = uuidv7();
  let seq = 0;

  function entry(type: EventType, body: object, fate: Fate = "row"): NumberedEntry {
    seq += 1;
    return numbered({ projectId, producerId, seq }, type, body, fate);
  }

  function run(): readonly NumberedEntry[] {
    const [trace_id, node, tool] = [uuidv7(), uuidv7(), uuidv7()];
    const at = new Date().toISOString();
    const ended = { ended_at: at, status: "success" };
    const begun = (name: string) => ({ name, started_at: at, input: { name } });
    return [
      entry("trace.start", { trace_id, ...begun("run") }),
      entry("observation.start", { trace_id, observation_id: node, parent_id: null, kind: "node", ...begun("plan") }),
      entry("observation.start", { trace_id, observation_id: tool, parent_id: node, kind: "tool", ...begun("find") }),
      entry("observation.end", { trace_id, observation_id: tool, ...ended, duration_ms: 1, output: "found" }),
      entry("observation.end", { trace_id, observation_id: node, ...ended, duration_ms: 2, output: "done" }),
      entry("trace.end", { trace_id, ...ended, output: "answer" }),
    ];
  }

  function poisonOf(fate: Fate): NumberedEntry {
    const body = { trace_id: uuidv7(), name: "poison", started_at: new Date().toISOString(), input: "poison" };
    if (fate === "refused") {
      return entry("trace.start", { ...body, started_at: "0000-01-01T00:00:00.000Z" }, fate);
    }
    if (fate === "homeless") {
      return numbered({ projectId: homelessProjectId, producerId: homelessProjectId, seq: 1 }, "trace.start", body, fate);
    }
    if (fate === "garbage") {
      const id = uuidv7();
      return { fields: ["hello", id], fate, id, producerId: "", seq: 0 };
    }
    // Of no trace: whatever else is odd is mended.
    return entry("trace.start", { name: body.name }, "unreadable");
  }

  return {
    projectId,
    producerId,
    next: (count) => {
      const entries: NumberedEntry[] = [];
      while (entries.length < count) {
        entries.push(...run());
        if (random() < poison * 6) {
          entries.push(poisonOf(POISON[Math.floor(random() * POISON.length)] ?? "garbage"));
        }
      }
      return shuffled(entries, random);
    },
    bye: () => entry("producer.bye", { last_seq: seq + 1 }),
  };
}

type Origin = { readonly projectId: string; readonly producerId: string; readonly seq: number };

function numbered({ projectId, producerId, seq }: Origin, type: EventType, body: object, fate: Fate): NumberedEntry {
  const id = uuidv7();
  const ts = new Date().toISOString();
  // Not all of them are events: that is the point.
  const event = { v: 1, id, type, project_id: projectId, producer_id: producerId, seq, ts, body } as StreamEvent;
  return { fields: encodeEvent(event), fate, id, producerId, seq };
}
