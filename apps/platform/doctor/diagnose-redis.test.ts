import { createRedis } from "@sightline/foundation/redis";
import { startRedisCluster, type RedisCluster } from "@sightline/foundation/testing/redis-cluster";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deriveEnvironment } from "#settings/environment.ts";
import { diagnoseRedis } from "./diagnose-redis.ts";

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startRedisCluster(0);
});
afterAll(() => cluster.remove());

test("a cluster is judged by all its masters", async () => {
  expect(await diagnose({ OBSERVABILITY_REDIS_URL: cluster.url })).toEqual([
    expect.stringMatching(/^ok: \d+\.\d+\.\d+, a cluster of 3 masters$/),
    "ok: evicts nothing",
    "ok: every slot of the cluster is served",
  ]);
});

test("one node of a cluster named as a single server is broken, and how to name the cluster", async () => {
  const [node] = cluster.nodes;
  const findings = await diagnoseRedis(settingOf({ OBSERVABILITY_REDIS_URL: node?.url ?? "" }));
  expect(findings).toContainEqual(
    expect.objectContaining({
      state: "error",
      found: expect.stringContaining("a node of a Redis Cluster"),
      fix: expect.stringContaining("commas"),
    }),
  );
});

test("a number of partitions that applications are not told of is noted, and what waits beyond", async () => {
  const { client, close } = createRedis({ url: cluster.url, name: "test", log: silentLog });
  await client.connect();
  await client.xadd("observability:events:{5ax}", "*", "v", "1");
  await close();
  const findings = await diagnose({ OBSERVABILITY_REDIS_URL: cluster.url, OBSERVABILITY_STREAMS: "4" });
  expect(findings.slice(3)).toEqual([
    "warning: applications are told of 1 partitions, OBSERVABILITY_STREAMS is 4",
    "warning: 1 events wait on partitions beyond OBSERVABILITY_STREAMS",
  ]);
});

async function diagnose(given: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return (await diagnoseRedis(settingOf(given))).map(({ state, found }) => `${state}: ${found}`);
}

function settingOf(given: Readonly<Record<string, string>>): Parameters<typeof diagnoseRedis>[0] {
  const { environment, embeddedPostgres, embeddedRedis } = deriveEnvironment(given);
  return { environment, embeddedPostgres, embeddedRedis, platform: {} as Parameters<typeof diagnoseRedis>[0]["platform"] };
}
