import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { CALLS_OF_A_TRACE, conversationOf, type Library, type Open } from "./library.ts";

/**
 * Publishes through the SDK: `node producer.ts <its module> <sink> <events per second> <seconds>`. Ten times a second a trace that
 * can be told apart is among them; when each was published is printed at the end.
 */
const TURN_MS = 20;
const MARKS_PER_SECOND = 10;
/** Of input and of output, so that each event has as much. */
const EVENT_BYTES = 2000;
const EVENTS_OF_A_CALL = 2;

const [module = "", sink = "", perSecond = "0", seconds = "0"] = process.argv.slice(2);
const { open } = (await import(pathToFileURL(module).href)) as { readonly open: Open };
const library = (await open(sink)) as Library & { readonly mark: (name: string) => void; readonly metrics: () => string };
const answer = conversationOf(EVENT_BYTES, 0)
  .map(({ content }) => content)
  .join("");
const startedAt = Date.now();
const endsAt = startedAt + Number(seconds) * 1000;
const marks: number[] = [];
let calls = 0;
let inTrace = AsyncLocalStorage.snapshot();
while (Date.now() < endsAt) {
  const elapsed = Date.now() - startedAt;
  while (calls * EVENTS_OF_A_CALL < (elapsed / 1000) * Number(perSecond)) {
    if (calls % CALLS_OF_A_TRACE === 0) {
      inTrace = library.trace(() => AsyncLocalStorage.snapshot());
    }
    const call = calls;
    inTrace(() => library.call(conversationOf(EVENT_BYTES, call), `${call}${answer}`));
    calls += 1;
  }
  while (marks.length < (elapsed / 1000) * MARKS_PER_SECOND) {
    library.mark("mark");
    marks.push(Date.now());
  }
  await pause(TURN_MS);
}
await library.close();
console.log(JSON.stringify({ calls, events: calls * EVENTS_OF_A_CALL, marks, startedAt, endedAt: Date.now(), metrics: library.metrics() }));
