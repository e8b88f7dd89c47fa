import type { EventType } from "../event/event.ts";
import type { EventText } from "../event/event-text.ts";

type EventBody = Readonly<Record<string, unknown>>;

/** An event that waits in this process. */
export type BufferedEvent = {
  /** Empty until it is given its number. */
  id: string;
  readonly type: EventType;
  readonly ts: string;
  /** The event's number; 0 until it is given one. */
  seq: number;
  /** The body until it is written as text; one that says its own number is made when the number is given. */
  body: EventBody | ((sequence: number) => EventBody) | undefined;
  written: EventText | undefined;
  /** About as many bytes as it holds. */
  size: number;
  /** A blob carries the hash of its content. */
  readonly hash: string | undefined;
};

/** One stream entry: flat fields, the body as JSON text. */
export type EntryFields = {
  readonly id: string;
  readonly type: EventType;
  readonly seq: number;
  readonly ts: string;
  readonly body: string;
};

export type StreamEntry = EntryFields & {
  /** The event in the buffer it was made of. */
  readonly source: BufferedEvent;
};

/** What an event holds beside its body: identifiers, fields, object headers. */
export const OVERHEAD_BYTES = 400;

const NONE: readonly BufferedEvent[] = [];

type Link = { readonly event: BufferedEvent; next: Link | undefined };
type Held = { events: number; bytes: number };

/** A queue bounded by bytes and by count that drops its oldest, so that an absent Redis costs bounded memory and no waiting. */
export function createEventBuffer(limits: { readonly bytes: number; readonly events: number }) {
  let first: Link | undefined;
  let last: Link | undefined;
  let unwritten: Link | undefined;
  const queued: Held = { events: 0, bytes: 0 };
  const taken: Held = { events: 0, bytes: 0 };

  const shift = (): BufferedEvent | undefined => {
    const link = first;
    if (link === undefined) {
      return undefined;
    }
    first = link.next;
    last = first === undefined ? undefined : last;
    unwritten = unwritten === link ? first : unwritten;
    queued.events -= 1;
    queued.bytes -= link.event.size;
    return link.event;
  };
  const isOver = () => queued.bytes + taken.bytes > limits.bytes || queued.events + taken.events > limits.events;
  const dropWhile = (isDue: () => boolean): readonly BufferedEvent[] => {
    const dropped: BufferedEvent[] = [];
    for (let event = shift(); event !== undefined; event = isDue() ? shift() : undefined) {
      dropped.push(event);
    }
    return dropped;
  };
  const dropOver = () => (isOver() ? dropWhile(isOver) : NONE);

  return {
    /** Adds an event; returns the oldest that were dropped to make room. */
    add(event: BufferedEvent): readonly BufferedEvent[] {
      const link: Link = { event, next: undefined };
      if (last === undefined) {
        first = link;
      } else {
        last.next = link;
      }
      last = link;
      unwritten ??= link;
      queued.events += 1;
      queued.bytes += event.size;
      return dropOver();
    },
    /** The oldest whose body is not written yet. */
    firstUnwritten(): BufferedEvent | undefined {
      while (unwritten !== undefined && typeof unwritten.event.body !== "object") {
        unwritten = unwritten.next;
      }
      return unwritten?.event;
    },
    /** Notes an event's size after its body was written; returns what was dropped to make room. */
    resize(event: BufferedEvent, size: number): readonly BufferedEvent[] {
      queued.bytes += size - event.size;
      event.size = size;
      return dropOver();
    },
    /** Takes the oldest events; they count as held until they are settled. */
    take(maximumEvents: number, maximumBytes: number): readonly BufferedEvent[] {
      const events: BufferedEvent[] = [];
      let bytes = 0;
      while (events.length < maximumEvents && bytes < maximumBytes) {
        const event = shift();
        if (event === undefined) {
          break;
        }
        bytes += event.size;
        events.push(event);
      }
      taken.events = events.length;
      taken.bytes = bytes;
      return events;
    },
    /** Forgets the taken events, but puts the unsent ones back in front, in their order. */
    settle(unsent: readonly BufferedEvent[]): readonly BufferedEvent[] {
      for (const event of unsent.toReversed()) {
        first = { event, next: first };
        last ??= first;
        queued.events += 1;
        queued.bytes += event.size;
      }
      taken.events = 0;
      taken.bytes = 0;
      return dropOver();
    },
    /** Drops everything that is not taken. */
    clear: () => dropWhile(() => true),
    get size() {
      return queued.events + taken.events;
    },
    get bytes() {
      return queued.bytes + taken.bytes;
    },
  };
}
