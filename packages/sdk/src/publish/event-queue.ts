import * as crypto from "node:crypto";
import * as zlib from "node:zlib";
import type { EventBodies, EventType } from "../event/event.ts";
import { type BufferedEvent, createEventBuffer, OVERHEAD_BYTES, type StreamEntry } from "./event-buffer.ts";
import { type TextPart, writeEventText } from "../event/event-text.ts";
import { createIdentifier } from "../event/identifier.ts";
import { createSentContents } from "./sent-contents.ts";
import { timestamp } from "../event/timestamp.ts";

/** A body that says its own number is made when the number is given. */
type NumberedBody<Type extends EventType> = (sequence: number) => EventBodies[Type];

export type EventQueue = ReturnType<typeof createEventQueue>;

type Drop = (reason: "buffer_full" | "unserializable" | "closed", count: number) => void;

/**
 * Events between the application's call and the wire. The call only takes a copy; text, masks within texts and hashes are made later,
 * a millisecond at a time. An event gets its number when it leaves or is dropped, so that what is dropped leaves a gap.
 */
export function createEventQueue(limits: { readonly bytes: number; readonly events: number }, drop: Drop) {
  const buffer = createEventBuffer(limits);
  const contents = createSentContents();
  let sequence = 0;

  const assign = (event: BufferedEvent): number => {
    if (event.seq === 0) {
      sequence += 1;
      event.seq = sequence;
      event.id = createIdentifier();
    }
    return event.seq;
  };

  const lose = (reason: Parameters<Drop>[0], events: readonly BufferedEvent[]) => {
    for (const event of events) {
      assign(event);
      if (event.hash !== undefined) {
        contents.forget(event.hash);
      }
    }
    if (events.length > 0) {
      drop(reason, events.length);
    }
  };

  const addEntries = (event: BufferedEvent, now: number, entries: StreamEntry[]) => {
    if (event.body !== undefined) {
      event.size = writeBody(event, typeof event.body === "function" ? event.body(assign(event)) : event.body);
    }
    const { written } = event;
    if (written === undefined) {
      lose("unserializable", [event]);
      return;
    }
    const body = replaceByReferences(written.text, written.parts, (content) => {
      if (!contents.meet(fingerprint(content))) {
        return undefined;
      }
      const hash = sha256(content);
      if (contents.treat(hash, now) === "blob") {
        const blob = createBlob(hash, content);
        assign(blob);
        entries.push(toEntry(blob, blob.written?.text ?? ""));
      }
      return hash;
    });
    assign(event);
    entries.push(toEntry(event, body));
  };

  return {
    /** Queues an event; `size` is about what its body holds. */
    add<Type extends EventType>(type: Type, body: EventBodies[Type] | NumberedBody<Type>, size: number) {
      const ts = timestamp();
      const event = { id: "", type, ts, seq: 0, body, written: undefined, size: size + OVERHEAD_BYTES, hash: undefined };
      lose("buffer_full", buffer.add(event));
    },
    /** Writes bodies as text until the budget of milliseconds is spent; true when some are left. */
    write(budget: number): boolean {
      const endsAt = performance.now() + budget;
      for (let event = buffer.firstUnwritten(); event !== undefined; event = buffer.firstUnwritten()) {
        if (typeof event.body === "object") {
          lose("buffer_full", buffer.resize(event, writeBody(event, event.body)));
        }
        if (performance.now() > endsAt) {
          return buffer.firstUnwritten() !== undefined;
        }
      }
      return false;
    },
    /** The oldest events as they go over the wire, blobs of contents that came again before the events that refer to them. */
    take(maximumEvents: number, maximumBytes: number): readonly StreamEntry[] {
      const now = performance.now();
      if (contents.isVersionDue(now)) {
        contents.distrust();
      }
      const entries: StreamEntry[] = [];
      for (const event of buffer.take(maximumEvents, maximumBytes)) {
        addEntries(event, now, entries);
      }
      return entries;
    },
    /** Says which of those taken did not arrive. */
    settle(entries: readonly StreamEntry[], unsent: readonly StreamEntry[]) {
      const now = performance.now();
      const failed = new Set(unsent);
      for (const entry of entries) {
        if (entry.source.hash !== undefined && !failed.has(entry)) {
          contents.confirm(entry.source.hash, now);
        }
      }
      lose("buffer_full", buffer.settle(unsent.map(({ source }) => source)));
    },
    isVersionDue: () => contents.isVersionDue(performance.now()),
    /** What is taken refers to what was sent before only for a while after the version of the project's contents was read, and found unchanged. */
    learnVersion: (read: string | null | undefined, now: number) => contents.learn(read, now),
    /** After a new connection: what was sent may be gone. */
    reconnected: () => contents.distrust(),
    clear: () => lose("closed", buffer.clear()),
    /** The last number that was given, to an event or to a gap. */
    get lastSequence() {
      return sequence;
    },
    get size() {
      return buffer.size;
    },
    get bytes() {
      return buffer.bytes;
    },
  };
}

/** Returns how much the event holds now. What can't be written must not leave unmasked; it is counted when its turn comes. */
function writeBody(event: BufferedEvent, body: Readonly<Record<string, unknown>>): number {
  event.body = undefined;
  try {
    event.written = writeEventText(body);
  } catch {
    event.written = undefined;
  }
  return OVERHEAD_BYTES + heldBytes(event.written?.text ?? "");
}

/** The text with those parts replaced by references for which `referTo` answers a hash. */
function replaceByReferences(text: string, parts: readonly TextPart[], referTo: (content: string) => string | undefined): string {
  let [body, copied] = ["", 0];
  for (const { start, end } of parts) {
    const hash = referTo(text.slice(start, end));
    if (hash !== undefined) {
      body += `${text.slice(copied, start)}{"$blob":"${hash}"}`;
      copied = end;
    }
  }
  return copied === 0 ? text : body + text.slice(copied);
}

/** Hashes in one call where Node has it, which takes half the time. */
const sha256: (content: string) => string =
  typeof crypto.hash === "function"
    ? (content) => crypto.hash("sha256", content, "hex")
    : (content) => crypto.createHash("sha256").update(content).digest("hex");

/** A number of 32 bits that tells contents apart, in half the time of a hash where Node has it. */
const fingerprint: (content: string) => number =
  typeof zlib.crc32 === "function"
    ? (content) => zlib.crc32(content) | 0
    : (content) => Number.parseInt(sha256(content).slice(0, 8), 16) | 0;

function createBlob(hash: string, content: string): BufferedEvent {
  const text = `{"sha256":"${hash}","content":${content}}`;
  return {
    id: "",
    type: "blob",
    ts: timestamp(),
    seq: 0,
    body: undefined,
    written: { text, parts: [] },
    size: OVERHEAD_BYTES + heldBytes(text),
    hash,
  };
}

function toEntry(source: BufferedEvent, body: string): StreamEntry {
  const { id, type, seq, ts } = source;
  return { id, type, seq, ts, body, source };
}

/** V8 holds a text in one byte a character where all fit, else in two, and finds none of these in the former without a look. */
function heldBytes(text: string): number {
  return /[\u0100-\uffff]/.test(text) ? text.length * 2 : text.length;
}
