import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createSplitter } from "#splitting/splitter.ts";

/** Splits some Swift in a process of its own, and prints the definitions found and the most memory it had, in kB. */
const splitter = createSplitter({ log: silentLog, threads: 1 });
const { definitions } = await splitter.split(Buffer.from("func add(a: Int, b: Int) -> Int { return a + b }\n".repeat(500)), "swift");
await splitter.close();
console.log(JSON.stringify({ definitions: definitions.length, memory: process.resourceUsage().maxRSS }));
