import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { reportReady, stopWithSupervisor } from "#supervisor/child-channel.ts";

/** A small child of the supervisor for its tests. Arguments: what it does. */
const [behaviour = "good"] = process.argv.slice(2);

if (behaviour === "never-ready") {
  throw new Error("this child never starts");
}
if (behaviour === "environment") {
  console.log(JSON.stringify(process.env));
}
if (behaviour === "hangs-at-exit") {
  process.on("exit", () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
}
const server = createServer();
stopWithSupervisor(async () => {
  if (behaviour === "hangs") {
    await new Promise(() => undefined);
  }
  console.log("stopping");
  server.close();
});
const steps = behaviour === "talks-first" ? 12 : 0;
for (let step = 1; step <= steps; step += 1) {
  console.log(`step ${step}`);
  await delay(500);
}
server.listen(0, "127.0.0.1", () => {
  console.log(`pid ${process.pid}`);
  reportReady();
});
