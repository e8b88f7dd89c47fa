import { execFile } from "node:child_process";
import { appendFile, chown, mkdtemp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { Network } from "./network.ts";
import { start } from "./processes-on.ts";

export type Stores = { readonly databaseUrl: string; readonly redisUrl: string; readonly end: () => Promise<void> };

const run = promisify(execFile);
const PROGRAMS = "/usr/lib/postgresql/17/bin";
const POSTGRES = 101;

/**
 * PostgreSQL and Redis on a host, out of the folder that `tools/test-services.sh` prints. PostgreSQL keeps its defaults for
 * connections that went silent, as most servers do: what a client asks for itself is what is tried.
 */
export async function startStores(network: Network, host: string, root: string): Promise<Stores> {
  const { stdout: ids } = await run("chroot", [root, "id", "-u", "postgres"]);
  const { stdout: groups } = await run("chroot", [root, "id", "-g", "postgres"]);
  const [uid, gid] = [Number(ids || POSTGRES), Number(groups)];
  const folder = await mkdtemp(join(root, "tmp", "sightline-hosts-"));
  await chown(folder, uid, gid);
  const inside = `/tmp/${basename(folder)}`;
  const enter = ["chroot", `--userspec=${uid}:${gid}`, root];
  await run(enter[0] ?? "", [
    ...enter.slice(1),
    `${PROGRAMS}/initdb`,
    "-D",
    `${inside}/data`,
    "-U",
    "postgres",
    "--auth=trust",
    "--no-sync",
  ]);
  await appendFile(join(folder, "data", "pg_hba.conf"), "host all all 10.89.71.0/24 trust\n");
  const address = network.address(host);
  const settings = ["listen_addresses=*", "unix_socket_directories=", "dynamic_shared_memory_type=mmap", "max_connections=300"];
  const postgres = start(
    [...network.on(host), ...enter, `${PROGRAMS}/postgres`, "-D", `${inside}/data`, ...settings.flatMap((each) => ["-c", each])],
    process.env,
    "/",
  );
  const redis = start(
    [...network.on(host), ...enter, "redis-server", "--bind", address, "--protected-mode", "no", "--dir", inside, "--appendonly", "yes"],
    process.env,
    "/",
  );
  const end = async () => {
    await Promise.all([postgres.end(), redis.end()]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await postgres.printed(/ready to accept connections/, 60_000);
    await redis.printed(/Ready to accept connections/, 60_000);
  } catch (error) {
    await end();
    throw error;
  }
  return { databaseUrl: `postgres://postgres@${address}/postgres`, redisUrl: `redis://${address}:6379`, end };
}
