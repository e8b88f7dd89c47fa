import { hash } from "node:crypto";
import type { Clock } from "@sightline/foundation/clock";
import type { Redis } from "@sightline/foundation/redis";
import { keyBeside } from "#events/partitions.ts";
import type { OtlpEvent, OtlpLog, OtlpScopeSpans, OtlpSpan } from "#otlp/wire/otlp-span.ts";
import { readJson } from "#otlp/wire/read-json.ts";
import { writeEvent, writeSpans } from "#otlp/wire/write-json.ts";
import { nameOf } from "./count-once.ts";

/** A record and its span come within so long of each other. */
const HELD_MS = 2 * 60 * 1000;
/** Characters of one record or span that are held, and in a minute of all of a project, and of all projects: the stream needs the same memory. */
const MAX_HELD = 1024 * 1024;
const MAX_HELD_MINUTE = 16 * 1024 * 1024;
const MAX_HELD_TOGETHER = 64 * 1024 * 1024;
const MINUTE_MS = 60_000;

export type LogMemory = ReturnType<typeof createLogMemory>;

type LogMemoryOptions = { readonly redis: Redis; readonly stream: string; readonly clock: Clock };

/**
 * Joins records of logs that are GenAI's events to the spans they were written in, whichever come first: both are held in Redis, and so for all
 * replicas. Whoever brings one first writes it and then looks for the other, so that of two at once at least one sees both; the same span again
 * is the same step.
 */
export function createLogMemory({ redis, stream, clock }: LogMemoryOptions) {
  const keyOf = (what: string, projectId: string, name: string) => keyBeside(stream, `otlp:${what}:${projectId}:${name}`);
  const logsOf = (projectId: string, name: string) => keyOf("logs", projectId, name);
  const spanOf = (projectId: string, name: string) => keyOf("span", projectId, name);

  /** @returns whether there is room for so many characters more. */
  async function takeRoom(projectId: string, length: number): Promise<boolean> {
    const minute = String(Math.floor(clock.now().getTime() / MINUTE_MS));
    return (
      (await count(keyOf("held", projectId, minute), length)) <= MAX_HELD_MINUTE &&
      (await count(keyOf("held", "all", minute), length)) <= MAX_HELD_TOGETHER
    );
  }

  async function count(key: string, length: number): Promise<number> {
    const results = await redis.pipeline().incrby(key, length).pexpire(key, MINUTE_MS).exec();
    return Number(results?.[0]?.[1]);
  }

  async function findLogs(projectId: string, names: readonly string[]): Promise<ReadonlyMap<string, readonly OtlpEvent[]>> {
    const pipeline = redis.pipeline();
    names.forEach((name) => pipeline.hvals(logsOf(projectId, name)));
    const results = (await pipeline.exec()) ?? [];
    return new Map(names.map((name, index) => [name, readEvents(results[index]?.[1])]));
  }

  return {
    /** Holds records, and answers the spans that came before them, with what was logged in them. */
    addLogs: async (projectId: string, logs: readonly OtlpLog[]): Promise<readonly OtlpScopeSpans[]> => {
      const texts = logs.filter(isOfUse).map((log) => ({ name: nameOf(log), text: JSON.stringify(writeEvent(log.event)) }));
      const held = texts.filter(({ text }) => text.length <= MAX_HELD);
      const names = [...new Set(held.map(({ name }) => name))];
      if (names.length === 0 || !(await takeRoom(projectId, lengthOf(held)))) {
        return [];
      }
      const pipeline = redis.pipeline();
      for (const { name, text } of held) {
        pipeline.hset(logsOf(projectId, name), hash("sha256", text), text);
      }
      names.forEach((name) => pipeline.pexpire(logsOf(projectId, name), HELD_MS));
      await pipeline.exec();
      const spans = await redis.mget(names.map((name) => spanOf(projectId, name)));
      const batches = spans.flatMap((text) => (text === null ? [] : readJson(Buffer.from(text))));
      return withEvents(batches, await findLogs(projectId, batches.flatMap(({ spans: own }) => own).map(nameOf)));
    },

    /** Gives spans what was logged in them, and holds those of GenAI that have no messages, for what comes later. */
    joinLogs: async (projectId: string, batches: readonly OtlpScopeSpans[]): Promise<readonly OtlpScopeSpans[]> => {
      const waiting = batches.flatMap(({ spans, ...source }) =>
        spans.filter(isSilent).map((span) => ({ name: nameOf(span), text: writeSpans({ ...source, spans: [span] }) })),
      );
      const held = waiting.filter(({ text }) => text.length <= MAX_HELD);
      if (held.length === 0 || !(await takeRoom(projectId, lengthOf(held)))) {
        return batches;
      }
      const pipeline = redis.pipeline();
      held.forEach(({ name, text }) => pipeline.set(spanOf(projectId, name), text, "PX", HELD_MS));
      await pipeline.exec();
      const names = held.map(({ name }) => name);
      return withEvents(batches, await findLogs(projectId, names));
    },
  };
}

function isOfUse({ traceId, spanId, event }: OtlpLog): boolean {
  return traceId.length === 32 && spanId.length === 16 && event.name.startsWith("gen_ai.");
}

const MESSAGES =
  /^(?:gen_ai\.(?:input|output)\.messages$|gen_ai\.(?:prompt|completion)\b|gen_ai\.tool\.call\.(?:arguments|result)$|input\.value$)/;

function isSilent({ attributes, events }: OtlpSpan): boolean {
  return (
    attributes.has("gen_ai.operation.name") &&
    ![...attributes.keys()].some((name) => MESSAGES.test(name)) &&
    !events.some(({ name }) => name.startsWith("gen_ai."))
  );
}

function withEvents(batches: readonly OtlpScopeSpans[], logs: ReadonlyMap<string, readonly OtlpEvent[]>): readonly OtlpScopeSpans[] {
  return batches.map((batch) => ({
    ...batch,
    spans: batch.spans.map((span) => ({ ...span, events: [...span.events, ...(logs.get(nameOf(span)) ?? [])] })),
  }));
}

/** In the order in which they happened. */
function readEvents(texts: unknown): readonly OtlpEvent[] {
  const events = Array.isArray(texts) ? texts.filter((text) => typeof text === "string").join() : "";
  const [batch] = readJson(Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"events":[${events}]}]}]}]}`));
  return (batch?.spans[0]?.events ?? []).toSorted((left, right) => Number(left.nanos - right.nanos));
}

function lengthOf(held: readonly { readonly text: string }[]): number {
  return held.reduce((sum, { text }) => sum + text.length, 0);
}
