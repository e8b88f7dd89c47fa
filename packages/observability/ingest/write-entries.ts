import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database/database";
import { errorMessage } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import { yieldEvery } from "@sightline/foundation/yield-every";
import { LRUCache } from "lru-cache";
import { v7 as uuidv7 } from "uuid";
import { decodeEntry, originOfEntry, type EntryOrigin, MAX_BODY_LENGTH } from "#events/stream-entry.ts";
import type { StreamEvent } from "#events/event.ts";
import { MaskingError } from "#events/masker.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { findMaskingRules } from "#store/masking.store.ts";
import { findProjectIds } from "#store/projects.store.ts";
import { isRefusedData } from "#store/refused-data.ts";
import type { Announce } from "./announce.ts";
import type { ConsumerMetrics } from "./consumer-metrics.ts";
import { inParts, type StreamEntry } from "./chunked-reading.ts";
import { toRows } from "./event-rows.ts";
import type { EventStream } from "./event-stream.ts";
import { createEventMasking } from "./mask-by-project-rules.ts";
import { MAX_DELIVERIES, MAX_UNFINISHED_DELIVERIES } from "./tuning.ts";
import type { DeadLetterWrite } from "#ingest/writing/batch-rows.ts";
import { writeBatch } from "#ingest/writing/write-batch.store.ts";

type KnownProjectsOptions = {
  /** Finds which of the ids are projects. */
  readonly find: (ids: readonly string[]) => Promise<readonly string[]>;
  readonly clock: Clock;
};

const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * Finds which project ids exist. A known project is cached for a minute; an unknown one is looked up each time, so that
 * its events are accepted as soon as it exists.
 */
function createKnownProjects({ find, clock }: KnownProjectsOptions): (ids: readonly string[]) => Promise<ReadonlySet<string>> {
  const remembered = new LRUCache<string, true>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
    ttlResolution: 0,
    perf: { now: () => clock.now().getTime() },
  });
  return async (ids) => {
    const known = new Set(ids.filter((id) => remembered.has(id)));
    const unsure = [...new Set(ids)].filter((id) => !known.has(id));
    for (const id of unsure.length === 0 ? [] : await find(unsure)) {
      remembered.set(id, true);
      known.add(id);
    }
    return known;
  };
}

/** The most characters that are kept of an entry; no event is longer. */
const MAX_WHOLE_LENGTH = MAX_BODY_LENGTH + 1024 * 1024;
/** How many fields, and characters of each, are kept of an entry that is longer. */
const FIELDS_KEPT = 32;
const FIELD_KEPT_LENGTH = 64 * 1024;

/** An entry as it is set aside. Of one that is longer than any event only the beginning is kept, or it could not be stored either. */
function toDeadLetter(stream: string, entry: StreamEntry, reason: string, projectId: string | undefined): DeadLetterWrite {
  const length = entry.fields.reduce((sum, field) => sum + field.length, 0);
  const isWhole = length <= MAX_WHOLE_LENGTH;
  const kept = isWhole ? entry.fields : entry.fields.slice(0, FIELDS_KEPT).map((field) => field.slice(0, FIELD_KEPT_LENGTH));
  return {
    id: uuidv7(),
    stream,
    entry_id: entry.id,
    project_id: projectId,
    reason: isWhole ? reason : `${reason}; only the beginning of its ${length} characters is kept`,
    entry: JSON.stringify(kept),
    is_whole: isWhole,
  };
}

/** So long decoding blocks the event loop, where another batch may wait to commit. */
const TURN_MS = 5;

type Decoded =
  | { readonly entry: StreamEntry; readonly event: StreamEvent }
  | { readonly entry: StreamEntry; readonly reason: string; readonly origin: EntryOrigin | undefined };

/** The partition that entries come from. */
type Source = Pick<EventStream, "key" | "settle" | "deliveriesOf">;

type WriteEntriesOptions = {
  readonly database: Database<ObservabilitySchema>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ConsumerMetrics;
  readonly announce: Announce;
  readonly maskingKnownMs: number;
};

/**
 * Writes entries to the database and then, only then, takes them off the stream. What cannot be read is set aside.
 * When the database refuses the data, or an event can't be masked, the entries are halved until the guilty one stands alone; that one stays
 * pending until it has been delivered {@link MAX_DELIVERIES} times and is then set aside too.
 *
 * @throws whatever else goes wrong; nothing is lost then, and the same entries may be given again.
 */
export function createEntryWriter({ database, clock, log, metrics, announce, maskingKnownMs }: WriteEntriesOptions) {
  const knownProjects = createKnownProjects({ clock, find: (ids) => findProjectIds(database.query, ids) });
  const maskEvents = createEventMasking({ clock, rememberedMs: maskingKnownMs, find: (ids) => findMaskingRules(database.query, ids) });

  async function write(stream: Source, decoded: readonly Decoded[]): Promise<void> {
    try {
      await commit(stream, decoded);
    } catch (error) {
      if (!isRefusedData(error) && !(error instanceof MaskingError)) {
        throw error;
      }
      const [only] = decoded;
      if (only !== undefined && decoded.length === 1) {
        await retryOrSetAside(stream, only, error);
        return;
      }
      const middle = Math.ceil(decoded.length / 2);
      await write(stream, decoded.slice(0, middle));
      await write(stream, decoded.slice(middle));
    }
  }

  async function commit(stream: Source, decoded: readonly Decoded[]): Promise<void> {
    const judged = await refuseUnknownProjects(decoded);
    const taken = judged.flatMap((item) => ("event" in item ? [item.event] : []));
    const refused = judged.flatMap((item) => ("reason" in item ? [item] : []));
    const known = await knownProjects(refused.flatMap(({ origin }) => (origin === undefined ? [] : [origin.projectId.toLowerCase()])));
    const at = clock.now().toISOString();
    const setAside = refused.flatMap(({ origin }) =>
      origin !== undefined && known.has(origin.projectId.toLowerCase()) ? [{ ...origin, at }] : [],
    );
    const deadLetters = refused.map(({ entry, reason, origin }) => toDeadLetter(stream.key, entry, reason, origin?.projectId));
    const masked = await maskEvents(taken);
    const rows = toRows(masked.events, setAside);
    await nextTurn();
    await writeBatch(database.query, { ...rows, deadLetters, maskedContents: masked.contents });
    announce(rows);
    await stream.settle(decoded.map(({ entry }) => entry.id));
    metrics.processed.inc(taken.length);
    metrics.deadLettered.inc(refused.length);
    for (const { entry, reason } of refused) {
      log.warn({ entry: entry.id, reason }, "set an entry aside");
    }
  }

  async function refuseUnknownProjects(decoded: readonly Decoded[]): Promise<readonly Decoded[]> {
    const ids = decoded.flatMap((item) => ("event" in item ? [item.event.project_id.toLowerCase()] : []));
    const known = await knownProjects(ids);
    return decoded.map((item) => {
      if (!("event" in item) || known.has(item.event.project_id.toLowerCase())) {
        return item;
      }
      const { project_id: projectId, producer_id: producerId, seq } = item.event;
      return { entry: item.entry, reason: `there is no project ${projectId}`, origin: { projectId, producerId, seq } };
    });
  }

  async function retryOrSetAside(stream: Source, item: Decoded, failure: unknown): Promise<void> {
    const reason = errorMessage(failure);
    const what = failure instanceof MaskingError ? "it could not be masked" : "the database refused it";
    const deliveries = await stream.deliveriesOf(item.entry.id);
    if (deliveries !== undefined && deliveries < MAX_DELIVERIES) {
      log.warn({ entry: item.entry.id, deliveries, reason: `${what}: ${reason}` }, "an entry could not be written and will be tried again");
      return;
    }
    const origin =
      "event" in item ? { projectId: item.event.project_id, producerId: item.event.producer_id, seq: item.event.seq } : item.origin;
    try {
      await commit(stream, [
        { entry: item.entry, reason: `${what}${deliveries === undefined ? "" : ` ${deliveries} times`}: ${reason}`, origin },
      ]);
    } catch (error) {
      if (!isRefusedData(error)) {
        throw error;
      }
      log.error(
        { entry: item.entry.id, reason: errorMessage(error) },
        "an entry can neither be written nor set aside, and stays on the stream",
      );
    }
  }

  return async (stream: Source, entries: readonly StreamEntry[]): Promise<void> => {
    // An entry that was delivered often and never finished is written alone, so that it takes no others with it.
    const isSuspect = ({ deliveries = 1 }: StreamEntry) => deliveries > MAX_DELIVERIES;
    const parts = [...inParts(entries.filter((entry) => !isSuspect(entry))), ...entries.filter(isSuspect).map((entry) => [entry])];
    for (const part of parts) {
      await write(stream, await decodeAll(part));
    }
  };
}

async function decodeAll(entries: readonly StreamEntry[]): Promise<readonly Decoded[]> {
  const decoded: Decoded[] = [];
  const pause = yieldEvery(TURN_MS);
  for (const entry of entries) {
    decoded.push(decode(entry));
    await pause();
  }
  return decoded;
}

function decode(entry: StreamEntry): Decoded {
  if (entry.deliveries !== undefined && entry.deliveries > MAX_UNFINISHED_DELIVERIES) {
    const reason = `delivered ${entry.deliveries} times and never finished; perhaps consumers died of it`;
    return { entry, reason, origin: originOfEntry(entry.fields) };
  }
  const decoded = decodeEntry(entry.fields);
  return decoded.ok ? { entry, event: decoded.event } : { entry, reason: decoded.reason, origin: decoded.origin };
}
