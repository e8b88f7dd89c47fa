import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { describe, expect, inject, it } from "vitest";
import { PROJECT_ID } from "#testing/project.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import { addressesOf, isRedisUrl } from "../settings/redis-addresses.ts";
import { partitionCountKey, partitionKeyOf } from "./partitions.ts";
import { openStreamConnection } from "./stream-connection.ts";

type Vectors = {
  readonly partitions: readonly { readonly producer_id: string; readonly of: Readonly<Record<string, number>> }[];
  readonly keys: readonly { readonly stream: string; readonly partition: number; readonly key: string }[];
  readonly counts: readonly { readonly stream: string; readonly key: string }[];
};
const file = new URL("../../../observability/events/partition-vectors.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vectors;
/** Of 64 partitions it has number 0, 32, 17 or 58 …; of two it has 0 and 1. */
const [zero = "", one = ""] = [0, 1].map((wanted) => vectors.partitions.find(({ of }) => of["2"] === wanted)?.producer_id);

describe("The partition of a producer", () => {
  it.each(vectors.partitions)("is the platform's for $producer_id", ({ producer_id: producerId, of }) => {
    for (const [count, partition] of Object.entries(of)) {
      expect(partitionKeyOf("observability:events", producerId, Number(count))).toBe(vectors.keys[partition]?.key);
    }
  });

  it.each(vectors.counts)("is one of as many as $key says", ({ stream, key }) => {
    expect(partitionCountKey(stream)).toBe(key);
  });

  it("is chosen by the number that Redis tells, once for a producer's life; others' goodbyes go to theirs", async () => {
    const client = new Redis(inject("redisUrl"));
    const streamName = `test:sdk:${randomUUID()}`;
    const settings = settingsOf(streamName);
    await client.set(partitionCountKey(streamName), "2");
    const connection = await openStreamConnection({ settings, producerId: one, partitions: undefined }, 2000);
    expect(connection.partitions).toBe(2);
    await connection.append([entry(1)], one, 2000);
    await connection.append([entry(2)], zero, 2000);
    expect([await client.xlen(streamName), await client.xlen(`${streamName}:{1sw}`)]).toEqual([1, 1]);
    expect(await connection.inspect(2000)).toMatchObject({ length: 1 });
    await client.set(partitionCountKey(streamName), "1");
    const again = await openStreamConnection({ settings, producerId: one, partitions: connection.partitions }, 2000);
    await again.append([entry(3)], one, 2000);
    expect([await client.xlen(streamName), await client.xlen(`${streamName}:{1sw}`)]).toEqual([1, 2]);
    connection.close();
    again.close();
    await client.del(streamName, `${streamName}:{1sw}`, partitionCountKey(streamName));
    client.disconnect();
  });

  it.each(["", "0", "65", "x", "2.5"])("is the one stream when what Redis tells is %j", async (told) => {
    const client = new Redis(inject("redisUrl"));
    const streamName = `test:sdk:${randomUUID()}`;
    await client.set(partitionCountKey(streamName), told);
    const connection = await openStreamConnection({ settings: settingsOf(streamName), producerId: one, partitions: undefined }, 2000);
    expect(connection.partitions).toBe(1);
    connection.close();
    await client.del(partitionCountKey(streamName));
    client.disconnect();
  });

  it("is the one stream for a Redis user who may do nothing but publish", async () => {
    const client = new Redis(inject("redisUrl"));
    const streamName = `test:sdk:${randomUUID()}`;
    const user = `test-sdk-${randomUUID()}`;
    await client.call("ACL", "SETUSER", user, "on", ">secret", "+xadd", "+ping", "+info", `~${streamName}`);
    const url = new URL(inject("redisUrl"));
    [url.username, url.password] = [user, "secret"];
    const settings = { ...settingsOf(streamName), redisUrl: url.href };
    const connection = await openStreamConnection({ settings, producerId: one, partitions: undefined }, 2000);
    expect(connection.partitions).toBe(1);
    expect(await connection.append([entry(1)], one, 2000)).toEqual({ unsent: [], failure: undefined });
    connection.close();
    await client.call("ACL", "DELUSER", user);
    await client.del(streamName);
    client.disconnect();
  });
});

function settingsOf(streamName: string): Settings {
  const read = readSettings({ redisUrl: inject("redisUrl"), projectId: PROJECT_ID, streamName }, {});
  if (read.kind !== "settings") {
    throw new Error("These settings are whole.");
  }
  return read.settings;
}

function entry(seq: number) {
  return { id: randomUUID(), type: "producer.hello", seq, ts: new Date().toISOString(), body: "{}" } as const;
}

describe("The address of a Redis", () => {
  it.each(["redis://h", "redis://h:6379", "rediss://u:p@h/1", "redis://a:7000,b:7000,c", "rediss://u:p,w@a:7000, b:7001/0"])(
    "may be %s",
    (url) => {
      expect(isRedisUrl(url)).toBe(true);
    },
  );

  it.each(["h:6379", "http://h", "redis://a:7000,", "redis://a:x,b:7000", "redis://,b"])("may not be %s", (url) => {
    expect(isRedisUrl(url)).toBe(false);
  });

  it("of several nodes keeps credentials and options for each", () => {
    expect(addressesOf("rediss://u:p@a:7000, b:7001/0?x=1")).toEqual(["rediss://u:p@a:7000/0?x=1", "rediss://u:p@b:7001/0?x=1"]);
  });
});
