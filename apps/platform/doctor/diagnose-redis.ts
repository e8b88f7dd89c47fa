import { errorMessage } from "@sightline/foundation/errors";
import { createLog } from "@sightline/foundation/log";
import { createRedis, redisServers, type Redis, type RedisConnection } from "@sightline/foundation/redis";
import { findPartitionState } from "@sightline/observability";
import type { Setting } from "#settings/environment.ts";
import { failure, ok, warning, type Finding } from "./diagnose-stores.ts";

const MIN_VERSION = 7;
const WHAT = "Redis";
const NODE_ALONE = failure(
  WHAT,
  "is a node of a Redis Cluster, but named as a single server",
  "Name several of its nodes in OBSERVABILITY_REDIS_URL, separated by commas: redis://a:6379,b:6379 (one address that stands for all, twice).",
);

/** Checks Redis: reachable, new enough, evicting nothing; each master of a cluster; and whether the partitions are as they were told. */
export async function diagnoseRedis({ environment }: Setting): Promise<readonly Finding[]> {
  const url = environment["OBSERVABILITY_REDIS_URL"] ?? "";
  const connection = createRedis({ url, name: "sightline-doctor", log: createLog({ name: "doctor", level: "silent" }) });
  try {
    await connection.client.connect();
    const servers = redisServers(connection.client);
    const nodes = await Promise.all(servers.map((server) => server.info()));
    const judged = diagnoseServers(nodes);
    if (servers[0] === connection.client) {
      return [...judged, ...(isNode(nodes) ? [NODE_ALONE] : await diagnosePartitions(connection.client, environment))];
    }
    return [...judged, await diagnoseCluster(connection), ...(await diagnosePartitions(connection.client, environment))];
  } catch (error) {
    return [failure(WHAT, errorMessage(error), "Start the server, or correct OBSERVABILITY_REDIS_URL.")];
  } finally {
    await connection.close();
  }
}

/** The oldest version and the worst policy of all servers. */
function diagnoseServers(nodes: readonly string[]): readonly Finding[] {
  const valuesOf = (field: string, otherwise: string) => nodes.map((info) => new RegExp(`${field}:(\\S+)`).exec(info)?.[1] ?? otherwise);
  const [version = "0"] = valuesOf("redis_version", "0").toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  const evicting = valuesOf("maxmemory_policy", "unknown").find((policy) => policy !== "noeviction");
  const found = nodes.length > 1 ? `${version}, a cluster of ${nodes.length} masters` : version;
  return [
    Number.parseInt(version, 10) >= MIN_VERSION ? ok(WHAT, found) : failure(WHAT, found, "Use Redis 7.0.15 or newer."),
    evicting === undefined
      ? ok(WHAT, "evicts nothing")
      : failure(WHAT, `evicts events when it is full (${evicting})`, "Set maxmemory-policy noeviction."),
  ];
}

function isNode(nodes: readonly string[]): boolean {
  return nodes.some((info) => info.includes("redis_mode:cluster"));
}

async function diagnoseCluster({ check }: RedisConnection): Promise<Finding> {
  try {
    await check.check();
    return ok(WHAT, "every slot of the cluster is served");
  } catch (error) {
    return failure(WHAT, errorMessage(error), "See CLUSTER INFO and CLUSTER NODES; start the node that is away, or promote its replica.");
  }
}

async function diagnosePartitions(client: Redis, environment: Setting["environment"]): Promise<readonly Finding[]> {
  const count = Number(environment["OBSERVABILITY_STREAMS"] || 1);
  const stream = environment["OBSERVABILITY_STREAM_NAME"] || "observability:events";
  if (!Number.isInteger(count) || count < 1) {
    // Problems of variables are another finding.
    return [];
  }
  const { announced, beyond } = await findPartitionState(client, stream, count);
  const isTold =
    announced === count
      ? ok(WHAT, `the stream has ${count} partitions`)
      : warning(
          WHAT,
          `applications are told of ${announced} partitions, OBSERVABILITY_STREAMS is ${count}`,
          "The next start of a consumer tells them; set it alike for every role.",
        );
  return [
    ...(count === 1 && announced === 1 ? [] : [isTold]),
    ...(beyond > 0
      ? [warning(WHAT, `${beyond} events wait on partitions beyond OBSERVABILITY_STREAMS`, "Nothing to do: consumers read those too.")]
      : []),
  ];
}
