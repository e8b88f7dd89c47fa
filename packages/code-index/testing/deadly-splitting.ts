import { parentPort } from "node:worker_threads";
import type { SplitAnswer, SplitRequest } from "#splitting/worker.ts";

/** A thread of the splitter that dies of one file and hangs on another. */
parentPort?.on("message", ({ content }: SplitRequest) => {
  const text = Buffer.from(content).toString();
  if (text === "die") {
    process.exit(3);
  }
  if (text === "hang") {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  const chunk = {
    start_line: 1,
    end_line: 1,
    start_byte: 0,
    end_byte: content.length,
    symbols: [],
    scope: "",
    content: text.toUpperCase(),
  };
  parentPort?.postMessage({ file: { chunks: [chunk], definitions: [], references: [] } } satisfies SplitAnswer);
});
