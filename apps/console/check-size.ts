import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** What a browser must have before it can show a page: everything index.html names, as gzip. */
const FIRST_LOAD_LIMIT = 250 * 1024;

const dist = new URL("./dist/", import.meta.url);
const html = readFileSync(new URL("index.html", dist), "utf8");
const named = [...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map((match) => match[1] ?? "");
const first = ["index.html", ...named];

const sizes = first.map((file) => ({ file, bytes: gzipped(file) }));
const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
for (const { file, bytes } of sizes) {
  print(file, bytes);
}
print(`first load (limit ${kilobytes(FIRST_LOAD_LIMIT)})`, total);

const later = readdirSync(new URL("assets/", dist))
  .filter((file) => file.endsWith(".js") && !first.includes(`assets/${file}`))
  .map((file) => ({ file, bytes: gzipped(`assets/${file}`) }))
  .toSorted((a, b) => b.bytes - a.bytes)
  .slice(0, 5);
process.stdout.write("\nbiggest of what loads later\n");
for (const { file, bytes } of later) {
  print(file, bytes);
}

if (named.length === 0 || total > FIRST_LOAD_LIMIT) {
  process.stderr.write(named.length === 0 ? "index.html names no script\n" : "the first load is over its limit\n");
  process.exitCode = 1;
}

function gzipped(file: string): number {
  return gzipSync(readFileSync(new URL(file, dist))).length;
}

function print(label: string, bytes: number): void {
  process.stdout.write(`${kilobytes(bytes).padStart(10)}  ${label}\n`);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} kB`;
}
