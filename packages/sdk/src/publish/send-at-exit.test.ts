import { afterEach, expect, it } from "vitest";
import { Redis } from "ioredis";
import { findFreePort, type PrivateRedis, startPrivateRedis } from "#testing/redis-server.ts";
import { sendAtExit } from "./send-at-exit.ts";
import { writeWords } from "./entry-writer.ts";

let redis: PrivateRedis;
afterEach(() => redis.stop());

const send = (url: string, ...commands: readonly string[]) => sendAtExit(url, Buffer.from(commands.join("")), commands.length);
const add = (key: string, value: string) => `*5\r\n${writeWords("xadd", key, "*", "body", value)}`;

it("sends by the address's user, password and database, and tells what Redis refused", async () => {
  redis = await startPrivateRedis(["--requirepass", "s%cret", "--user", ..."agent on >p@ss:w/rd ~events +@all".split(" ")]);
  const { port } = redis;
  const values = ["one", "zwei\r\n$5 ä 🚀", "x".repeat(300_000)];
  expect(
    send(`redis://agent:p%40ss%3Aw%2Frd@127.0.0.1:${port}/3`, ...values.map((value) => add("events", value)), add("other", "no")),
  ).toEqual([true, true, true, false]);
  expect(send(`redis://agent:wrong@127.0.0.1:${port}/3`, add("events", "no"))).toEqual([false]);
  const client = new Redis({ port, username: "default", password: "s%cret", db: 3 });
  expect((await client.xrange("events", "-", "+")).map(([, fields]) => fields[1])).toEqual(values);
  client.disconnect();
});

it("asks the next address where one does not answer, and waits for none that hangs", async () => {
  redis = await startPrivateRedis();
  const nobody = await findFreePort();
  expect(send(`redis://127.0.0.1:${nobody},127.0.0.1:${redis.port}`, add("events", "one"))).toEqual([true]);
  expect(send(`redis://127.0.0.1:${nobody}`, add("events", "one"))).toEqual([]);
  redis.signal("SIGSTOP");
  const began = performance.now();
  expect(send(redis.url, add("events", "two"))).toEqual([]);
  expect(performance.now() - began).toBeLessThan(4000);
});
