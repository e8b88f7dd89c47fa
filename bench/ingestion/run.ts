import { measureConsumer, type IngestionRow } from "./consumer.ts";

/**
 * `npm run bench:ingestion`: how fast the consumer makes events visible, on PostgreSQL and on the embedded database.
 */
const ingestion: IngestionRow[] = [];
const only = process.env["BENCH_STORE"];
const urls = [process.env["TEST_DATABASE_URL"]].filter((url) => url !== undefined && only !== "embedded");
const stores = only === "PostgreSQL" ? urls : [...urls, undefined];
for (const url of stores) {
  for await (const row of measureConsumer(url)) {
    ingestion.push(row);
    console.table([inShort(row)]);
  }
}
console.log(JSON.stringify({ ingestion }));

function inShort({ perSecond, visibleP50Ms, visibleP95Ms, startP95Ms, rowsPerEvent, bytesPerEvent, ...row }: IngestionRow) {
  return {
    ...row,
    "events/s": perSecond.toFixed(0),
    "visible p50 ms": visibleP50Ms?.toFixed(0) ?? "",
    "visible p95 ms": visibleP95Ms?.toFixed(0) ?? "",
    "first 5 s, p95 ms": startP95Ms?.toFixed(0) ?? "",
    "rows an event": rowsPerEvent.toFixed(2),
    "bytes an event": bytesPerEvent.toFixed(0),
  };
}
