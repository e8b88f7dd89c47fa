import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { CALLS_OF_A_TRACE, conversationOf, type Library, type Message, type Open } from "./library.ts";

/** Measures one library in a process of its own: `node caller.ts <its module> <its sink>`. Prints figures of each payload as JSON. */
const CASES = [
  { payload: "1 KB", kilobytes: 1, messages: 1, calls: 3000 },
  { payload: "20 KB, 20 messages", kilobytes: 20, messages: 20, calls: 2000 },
  { payload: "20 KB, one text", kilobytes: 20, messages: 1, calls: 2000 },
  { payload: "100 KB, 100 messages", kilobytes: 100, messages: 100, calls: 1000 },
  { payload: "100 KB, one text", kilobytes: 100, messages: 1, calls: 1000 },
].filter(({ kilobytes }) => (process.env["BENCH_KILOBYTES"] ?? "1,20,100").split(",").includes(String(kilobytes)));
const ANSWER = "The parcel is on its way.";
/** A call a millisecond, as a busy application makes them; what a library does in the background happens in between. */
const PAUSE_MS = 1;

const [module = "", sink = ""] = process.argv.slice(2);
const { open } = (await import(pathToFileURL(module).href)) as { readonly open: Open };
const library = await open(sink);
let made = 0;
const rows = [];
for (const { payload, kilobytes, messages, calls } of CASES) {
  const make = () => conversationOf(kilobytes * 1000, (made += 1), (kilobytes * 1000) / messages);
  // Its code is compiled by then, as that of an application is that has been running for some seconds.
  await measure(library, make, calls);
  rows.push({ payload, ...(await measure(library, make, calls)) });
}
await library.close();
console.log(JSON.stringify({ rows, metrics: (library as Library & { metrics?: () => string }).metrics?.() ?? "" }));

async function measure(measured: Library, make: () => readonly Message[], calls: number) {
  const took: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let prepared = 0;
  delay.enable();
  const cpuBefore = process.cpuUsage();
  while (took.length < calls) {
    await measured.trace(async () => {
      for (let left = CALLS_OF_A_TRACE; left > 0; left -= 1) {
        const preparing = process.cpuUsage();
        const messages = make();
        prepared += microseconds(process.cpuUsage(preparing));
        const startedAt = performance.now();
        measured.call(messages, ANSWER);
        took.push((performance.now() - startedAt) * 1000);
        await pause(PAUSE_MS);
      }
    });
  }
  const cpu = microseconds(process.cpuUsage(cpuBefore)) - prepared;
  delay.disable();
  const sorted = took.toSorted((one, other) => one - other);
  const percentile = (share: number) => sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? 0;
  return {
    p50: percentile(0.5),
    p99: percentile(0.99),
    cpuPerCall: cpu / calls,
    loopP99: delay.percentile(99) / 1000,
    loopMax: delay.max / 1000,
  };
}

function microseconds({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}
