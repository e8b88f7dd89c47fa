import type { StreamEntry } from "./event.ts";

export type EventBuffer = {
  /** Adds an event; returns how many of the oldest were dropped to make room. */
  add(entry: StreamEntry): number;
  /** Takes the oldest events; they count as held until they are settled. */
  take(maximumEvents: number, maximumBytes: number): readonly StreamEntry[];
  /** Forgets the taken events, but puts the unsent ones back in front, in their order. */
  settle(unsent: readonly StreamEntry[]): void;
  /** Drops everything that is not taken; returns how many. */
  clear(): number;
  readonly size: number;
  readonly bytes: number;
};

/** What an entry holds beside its body: identifiers, fields, object headers. */
const OVERHEAD_BYTES = 400;

type Link = { readonly entry: StreamEntry; next: Link | undefined };

/** A queue bounded by bytes and by count that drops its oldest, so that an absent Redis costs bounded memory and no waiting. */
export function createEventBuffer(limits: { readonly bytes: number; readonly events: number }): EventBuffer {
  let first: Link | undefined;
  let last: Link | undefined;
  const queued = { events: 0, bytes: 0 };
  const taken = { events: 0, bytes: 0 };

  const shift = (): StreamEntry | undefined => {
    const link = first;
    if (link === undefined) {
      return undefined;
    }
    first = link.next;
    last = first === undefined ? undefined : last;
    queued.events -= 1;
    queued.bytes -= sizeOf(link.entry);
    return link.entry;
  };
  const isOver = () => queued.bytes + taken.bytes > limits.bytes || queued.events + taken.events > limits.events;
  const setTaken = (entries: readonly StreamEntry[]) => {
    taken.events = entries.length;
    taken.bytes = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
  };

  return {
    add(entry) {
      const link: Link = { entry, next: undefined };
      if (last === undefined) {
        first = link;
      } else {
        last.next = link;
      }
      last = link;
      queued.events += 1;
      queued.bytes += sizeOf(entry);
      let dropped = 0;
      while (isOver() && shift() !== undefined) {
        dropped += 1;
      }
      return dropped;
    },
    take(maximumEvents, maximumBytes) {
      const entries: StreamEntry[] = [];
      let bytes = 0;
      while (entries.length < maximumEvents && bytes < maximumBytes) {
        const entry = shift();
        if (entry === undefined) {
          break;
        }
        bytes += sizeOf(entry);
        entries.push(entry);
      }
      setTaken(entries);
      return entries;
    },
    settle(unsent) {
      for (const entry of unsent.toReversed()) {
        first = { entry, next: first };
        last ??= first;
        queued.events += 1;
        queued.bytes += sizeOf(entry);
      }
      setTaken([]);
    },
    clear() {
      const dropped = queued.events;
      first = undefined;
      last = undefined;
      queued.events = 0;
      queued.bytes = 0;
      return dropped;
    },
    get size() {
      return queued.events + taken.events;
    },
    get bytes() {
      return queued.bytes + taken.bytes;
    },
  };
}

function sizeOf(entry: StreamEntry): number {
  return entry.bytes + OVERHEAD_BYTES;
}
