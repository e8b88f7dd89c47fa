/** BullMQ: set up once in the worker's process, a trace for each job, and what is left is sent when it ends. */
import { closeRedisPublisher, initializeRedisPublisher, observe, trace } from "@sightline/sdk";
import { Worker } from "bullmq";

void initializeRedisPublisher();

const square = (number: number) => observe({ name: "work" }, () => number * number);

const worker = new Worker<number, number>("example", async ({ name, data }) => trace({ name, input: data }, () => square(data)), {
  connection: { url: process.env["BROKER_URL"] ?? "redis://127.0.0.1:6379" },
});

process.once("SIGTERM", () => void worker.close().then(closeRedisPublisher));
