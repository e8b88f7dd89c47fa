import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "@sightline/foundation/clock";
import { AppError, errorMessage } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { Redis } from "@sightline/foundation/redis";
import { MAX_STREAM_LENGTH } from "#config.ts";
import { EVENT_VERSION } from "#events/event.ts";
import { keyBeside, partitionKey, findPartition } from "#events/partitions.ts";
import { toEventId, toVersion8 } from "#identifiers.ts";
import type { DraftEvent } from "./span-events.ts";

/** `taken`: every event is on the stream. `full`: there was no room for all of them, and no more were added. */
export type PublishResult = "taken" | "full";

export type StreamPublisher = {
  /** @throws whatever Redis says; the events, or some of them, may have arrived nevertheless, and may be given again. */
  readonly publish: (projectId: string, events: readonly DraftEvent[]) => Promise<PublishResult>;
  /**
   * Announces on the stream that this producer is alive and its last number, so that losing the last events is noticed
   * too, and no trace counts as abandoned because its spans take a while. Only for projects that sent something in the
   * last hour.
   */
  readonly announce: () => Promise<void>;
  readonly close: () => Promise<void>;
};

type PublisherOptions = {
  readonly redis: Redis;
  readonly stream: string;
  readonly partitions: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly version: string;
};

/**
 * Numbers events and adds them, in one step: a number is taken if and only if its event is on the stream, whatever becomes of
 * the answer. Numbers go on from the higher of Redis' counter and what this process knows, so that a Redis that lost its data
 * shows as a gap and not as a fresh start. Unlike the SDK, which must never wait, this never trims: others' unread events stay.
 */
const PUBLISH = `
local stream, counter = KEYS[1], KEYS[2]
local most, coming, known, version, project, producer, ts, ttl = unpack(ARGV, 1, 8)
if redis.call('XLEN', stream) + tonumber(coming) > tonumber(most) then return -1 end
local seq = math.max(tonumber(redis.call('HGET', counter, project) or '0'), tonumber(known))
for index = 9, #ARGV, 3 do
  seq = seq + 1
  redis.call('XADD', stream, '*', 'v', version, 'id', ARGV[index], 'type', ARGV[index + 1], 'project_id', project,
    'producer_id', producer, 'seq', string.format('%.0f', seq), 'ts', ts, 'body', ARGV[index + 2])
end
redis.call('HSET', counter, project, string.format('%.0f', seq))
redis.call('PEXPIRE', counter, ttl)
return seq`;

const AT_ONCE_EVENTS = 500;
const AT_ONCE_LENGTH = 4 * 1024 * 1024;
const COUNTER_MS = 24 * 60 * 60 * 1000;

const AWAY_SECONDS = 5;
const FULL_SECONDS = 15;

const QUIET_MS = 60 * 60 * 1000;

type Numbering = { last: number; isGreeted: boolean; usedAt: number };

/** The intake is a producer like any SDK; its UUID's version 8 says that its numbers are the order of arrival, not of starts. */
export function createStreamPublisher({ redis, stream, partitions, clock, log, version }: PublisherOptions): StreamPublisher {
  const producerId = toVersion8(randomBytes(16));
  const partition = partitionKey(stream, findPartition(producerId, partitions));
  const counter = keyBeside(partition, `otlp:${producerId}`);
  const numberings = new Map<string, Numbering>();

  function numberingOf(projectId: string): Numbering {
    const numbering = numberings.get(projectId) ?? { last: 0, isGreeted: false, usedAt: -Infinity };
    numberings.set(projectId, numbering);
    return numbering;
  }

  async function add(projectId: string, events: readonly DraftEvent[], coming: number): Promise<PublishResult> {
    const numbering = numberingOf(projectId);
    const all = numbering.isGreeted ? events : [greeting(projectId), ...events];
    const reply = await redis.eval(
      PUBLISH,
      2,
      partition,
      counter,
      MAX_STREAM_LENGTH,
      coming + all.length - events.length,
      numbering.last,
      EVENT_VERSION,
      projectId,
      producerId,
      clock.now().toISOString(),
      COUNTER_MS,
      ...all.flatMap(({ id, type, body }) => [id, type, body]),
    );
    const last = Number(reply);
    if (last < 0) {
      return "full";
    }
    numbering.last = Math.max(numbering.last, last);
    numbering.isGreeted = true;
    return "taken";
  }

  function greeting(projectId: string): DraftEvent {
    const body = { sdk: `otlp-intake ${version}`, runtime: `node ${process.version}`, host: hostname().slice(0, 300), pid: process.pid };
    return ownEvent(projectId, "producer.hello", "producer.hello", body);
  }

  function ownEvent(projectId: string, name: string, type: DraftEvent["type"], content: object): DraftEvent {
    const body = JSON.stringify(content);
    return { id: toEventId(projectId, `${name} ${producerId}`, body), type, body };
  }

  async function announce(type: "producer.heartbeat" | "producer.bye"): Promise<void> {
    const now = clock.now().getTime();
    for (const [projectId, { last, usedAt }] of numberings) {
      if (last > 0 && now - usedAt < QUIET_MS) {
        // The time makes each announcement an event of its own.
        await add(projectId, [ownEvent(projectId, `${type} ${now}`, type, { last_seq: last })], 1);
      }
    }
  }

  return {
    publish: async (projectId, events) => {
      let coming = events.length;
      for (const part of inParts(events)) {
        if ((await add(projectId, part, coming)) === "full") {
          return "full";
        }
        numberingOf(projectId).usedAt = clock.now().getTime();
        coming -= part.length;
      }
      return "taken";
    },
    announce: () =>
      announce("producer.heartbeat").catch((error: unknown) =>
        log.debug({ reason: errorMessage(error) }, "could not announce the intake's numbers"),
      ),
    close: () =>
      announce("producer.bye").catch((error: unknown) =>
        log.warn({ reason: errorMessage(error) }, "could not tell the stream that the intake ends"),
      ),
  };
}

function inParts(events: readonly DraftEvent[]): readonly (readonly DraftEvent[])[] {
  const parts: DraftEvent[][] = [];
  let length = Infinity;
  for (const event of events) {
    const part = parts.at(-1);
    if (part === undefined || part.length >= AT_ONCE_EVENTS || length + event.body.length > AT_ONCE_LENGTH) {
      parts.push([event]);
      length = event.body.length;
    } else {
      part.push(event);
      length += event.body.length;
    }
  }
  return parts;
}

/** @throws {AppError} 429 while the stream has no room, 503 while Redis is away; what was sent may be sent again. */
export async function publishOrRefuse(
  publisher: Pick<StreamPublisher, "publish">,
  projectId: string,
  events: readonly DraftEvent[],
): Promise<void> {
  if ((await whileThere(publisher.publish(projectId, events))) === "full") {
    const message = "The event stream is full: the consumer is behind or does not run. Not all was taken; send it again.";
    throw retryLater({ code: "stream_full", status: 429, seconds: FULL_SECONDS, message });
  }
}

export async function whileThere<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    const message = "The event stream does not answer. Not all was taken; send it again, nothing is stored twice.";
    throw retryLater({ code: "stream_away", status: 503, seconds: AWAY_SECONDS, message, cause: error });
  }
}

type Retry = {
  readonly code: string;
  readonly status: 429 | 503;
  readonly seconds: number;
  readonly message: string;
  readonly cause?: unknown;
};

export function retryLater({ seconds, ...refused }: Retry): AppError {
  return new AppError({ ...refused, headers: { "retry-after": String(seconds) } });
}
