import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { HOSTS } from "./hosts.ts";
import { makeNetwork, networkOf } from "./network.ts";

/**
 * `npm run prove:hosts`: the product on two hosts, its stores on a third and agents on a fourth, each a network namespace of this
 * machine, cut off, slowed down and switched off while all of it works. Needs root, iproute2 and what `tools/test-services.sh` makes.
 */
const number = String(process.pid);
const remove = await makeNetwork(number, HOSTS);
try {
  const [file = "", ...words] = networkOf(number, HOSTS).on("client");
  const prove = fileURLToPath(new URL("prove.ts", import.meta.url));
  const { status } = spawnSync(file, [...words, process.execPath, prove, number], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  await remove();
}
