import type { Clock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database/database";
import { messageOf } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import { decodeEntry, originOfEntry, type EntryOrigin } from "#events/stream-entry.ts";
import type { StreamEvent } from "#events/event.ts";
import { MaskingError } from "#events/masker.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { findMaskingRules } from "#store/masking.store.ts";
import { findProjectIds } from "#store/projects.store.ts";
import { writeBatch } from "./write-batch.store.ts";
import type { Announce } from "./announce.ts";
import type { ConsumerMetrics } from "./consumer-metrics.ts";
import { inParts } from "./chunked-reading.ts";
import { isRefusedData } from "./database-errors.ts";
import { toRows } from "./event-rows.ts";
import type { EventStream } from "./event-stream.ts";
import { createKnownProjects } from "./known-projects.ts";
import { createEventMasking } from "./mask-events.ts";
import { toDeadLetter } from "./dead-letter.ts";
import { DELIVERIES_MAX, UNFINISHED_DELIVERIES_MAX } from "./tuning.ts";
import type { StreamEntry } from "./chunked-reading.ts";

type Decoded =
  | { readonly entry: StreamEntry; readonly event: StreamEvent }
  | { readonly entry: StreamEntry; readonly reason: string; readonly origin: EntryOrigin | undefined };

type WriteEntriesOptions = {
  readonly streamName: string;
  readonly stream: Pick<EventStream, "settle" | "deliveriesOf">;
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
 * pending until it has been delivered {@link DELIVERIES_MAX} times and is then set aside too.
 *
 * @throws whatever else goes wrong; nothing is lost then, and the same entries may be given again.
 */
export function createEntryWriter({ streamName, stream, database, clock, log, metrics, announce, maskingKnownMs }: WriteEntriesOptions) {
  const knownProjects = createKnownProjects({ clock, find: (ids) => findProjectIds(database.query, ids) });
  const maskEvents = createEventMasking({ clock, rememberedMs: maskingKnownMs, find: (ids) => findMaskingRules(database.query, ids) });

  async function write(decoded: readonly Decoded[]): Promise<void> {
    try {
      await commit(decoded);
    } catch (error) {
      if (!isRefusedData(error) && !(error instanceof MaskingError)) {
        throw error;
      }
      const [only] = decoded;
      if (only !== undefined && decoded.length === 1) {
        await retryOrSetAside(only, error);
        return;
      }
      const middle = Math.ceil(decoded.length / 2);
      await write(decoded.slice(0, middle));
      await write(decoded.slice(middle));
    }
  }

  async function commit(decoded: readonly Decoded[]): Promise<void> {
    const judged = await refuseUnknownProjects(decoded);
    const taken = judged.flatMap((item) => ("event" in item ? [item.event] : []));
    const refused = judged.flatMap((item) => ("reason" in item ? [item] : []));
    const known = await knownProjects(refused.flatMap(({ origin }) => (origin === undefined ? [] : [origin.projectId.toLowerCase()])));
    const at = clock.now().toISOString();
    const setAside = refused.flatMap(({ origin }) =>
      origin !== undefined && known.has(origin.projectId.toLowerCase()) ? [{ ...origin, at }] : [],
    );
    const deadLetters = refused.map(({ entry, reason, origin }) => toDeadLetter(streamName, entry, reason, origin?.projectId));
    const masked = await maskEvents(taken);
    const rows = toRows(masked.events, setAside);
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

  async function retryOrSetAside(item: Decoded, failure: unknown): Promise<void> {
    const reason = messageOf(failure);
    const what = failure instanceof MaskingError ? "it could not be masked" : "the database refused it";
    const deliveries = await stream.deliveriesOf(item.entry.id);
    if (deliveries !== undefined && deliveries < DELIVERIES_MAX) {
      log.warn({ entry: item.entry.id, deliveries, reason: `${what}: ${reason}` }, "an entry could not be written and will be tried again");
      return;
    }
    const origin =
      "event" in item ? { projectId: item.event.project_id, producerId: item.event.producer_id, seq: item.event.seq } : item.origin;
    try {
      await commit([
        {
          entry: item.entry,
          reason: `${what}${deliveries === undefined ? "" : ` ${deliveries} times`}: ${reason}`,
          origin,
        },
      ]);
    } catch (error) {
      if (!isRefusedData(error)) {
        throw error;
      }
      log.error(
        { entry: item.entry.id, reason: messageOf(error) },
        "an entry can neither be written nor set aside, and stays on the stream",
      );
    }
  }

  return async (entries: readonly StreamEntry[]): Promise<void> => {
    // What was begun often and never finished is alone, so that it takes nothing else with it.
    const isSuspect = ({ deliveries = 1 }: StreamEntry) => deliveries > DELIVERIES_MAX;
    const parts = [...inParts(entries.filter((entry) => !isSuspect(entry))), ...entries.filter(isSuspect).map((entry) => [entry])];
    for (const part of parts) {
      await write(part.map(decode));
    }
  };
}

function decode(entry: StreamEntry): Decoded {
  if (entry.deliveries !== undefined && entry.deliveries > UNFINISHED_DELIVERIES_MAX) {
    const reason = `delivered ${entry.deliveries} times and never finished; perhaps consumers died of it`;
    return { entry, reason, origin: originOfEntry(entry.fields) };
  }
  const decoded = decodeEntry(entry.fields);
  return decoded.ok ? { entry, event: decoded.event } : { entry, reason: decoded.reason, origin: decoded.origin };
}
