import { availableParallelism, loadavg } from "node:os";

/** How many processes wait for each core, 1 at the least: everything takes as many times as long as on a machine that is free for it. */
export function crowd(): number {
  return Math.max((loadavg()[0] ?? 0) / availableParallelism(), 1);
}
