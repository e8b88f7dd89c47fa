import { parentPort, threadId } from "node:worker_threads";

/** A thread for tests: answers every message with its number. */
parentPort?.on("message", () => parentPort?.postMessage(threadId));
