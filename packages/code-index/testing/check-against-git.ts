import { spawnSync } from "node:child_process";
import { isUtf8 } from "node:buffer";
import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { sql } from "kysely";
import type { CodeIndexTables } from "#schema.ts";

/**
 * Compares the files and chunks of a repository's default branch with what git itself says of the commit, for a script outside of the
 * parts: `check-against-git.ts <database> <schema> <repository's id> <git folder> <commit>`. Reads contents with code of its own.
 */
type Entry = { readonly mode: string; readonly blob: string; readonly path: string };
type File = {
  readonly path: string;
  readonly blob: string;
  readonly bytes: number;
  readonly document_id: number | null;
  readonly skip_reason: string | null;
  readonly content_reason: string | null;
  readonly lines: number | null;
  readonly chunks: number | null;
  readonly encoding: string | null;
};
type Chunk = {
  readonly document_id: number;
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly start_byte: number;
  readonly end_byte: number;
  readonly symbols: readonly string[];
  readonly content: string;
};
type Symbol = { readonly document_id: number; readonly name: string; readonly start_line: number; readonly end_line: number };
type References = { readonly document_id: number; readonly names: readonly string[] };

/** A character of UTF-8, or a byte that is part of none. */
const CHARACTER =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g;

const windows1252 = new TextDecoder("windows-1252");
const AT_ONCE = 200;
const SHOWN = 20;

const [url = "", schema = "", repoId = "", directory = "", commit = ""] = process.argv.slice(2);
const database = createDatabase<CodeIndexTables>({ url, poolSize: 1, applicationName: "check-against-git", log: silentLog });
const problems: string[] = [];
const skipped: Record<string, number> = {};
const totals = { files: 0, bytes: 0, searchableFiles: 0, searchableBytes: 0, chunks: 0, symbols: 0, references: 0, notUtf8: 0 };

const entries = readTree();
const files = new Map((await select<File>(filesOfBranch())).map((file) => [file.path, file]));
for (const path of files.keys()) {
  expectThat(entries.has(path), `${path}: is not in the commit`);
}
const all = [...entries.values()];
for (let start = 0; start < all.length; start += AT_ONCE) {
  await checkFiles(all.slice(start, start + AT_ONCE));
}
console.log(JSON.stringify({ ...totals, skipped, problems: problems.length, shown: problems.slice(0, SHOWN) }));
await database.close();

function filesOfBranch() {
  return sql<File>`
    select file.path, file.blob, file.bytes, file.document_id, file.skip_reason, document.skip_reason as content_reason,
      document.lines, document.chunks, document.encoding
    from ${sql.id(schema, "files")} as file join codeindex.refs as ref on ref.generation = file.generation
    left join ${sql.id(schema, "documents")} as document using (document_id)
    where ref.repo_id = ${repoId} and ref.is_default
  `;
}

async function checkFiles(batch: readonly Entry[]): Promise<void> {
  const ids = batch.flatMap(({ path }) => files.get(path)?.document_id ?? []);
  const of = sql`where document_id = any(${ids}::bigint[])`;
  const chunks = byDocument(
    await select<Chunk>(sql`
      select document_id, path, start_line, end_line, start_byte, end_byte, symbols, content
      from ${sql.id(schema, "code_chunks")} ${of} order by document_id, start_byte
    `),
  );
  const symbols = byDocument(
    await select<Symbol>(sql`select document_id, name, start_line, end_line from ${sql.id(schema, "symbols")} ${of}`),
  );
  const references = byDocument(await select<References>(sql`select document_id, names from ${sql.id(schema, "symbol_references")} ${of}`));
  const contents = readContents(batch.filter(({ mode }) => mode !== "160000").map(({ blob }) => blob));
  for (const entry of batch) {
    const content = contents.get(entry.blob) ?? Buffer.alloc(0);
    const file = files.get(entry.path);
    totals.files++;
    totals.bytes += content.length;
    if (file === undefined) {
      problems.push(`${entry.path}: is not in the index`);
      continue;
    }
    expectThat(file.blob === entry.blob && file.bytes === content.length, `${entry.path}: ${file.blob} of ${file.bytes} bytes`);
    expectThat((file.document_id === null) === (file.skip_reason !== null), `${entry.path}: neither content nor reason, or both`);
    const own = file.document_id ?? -1;
    const reason = file.skip_reason ?? file.content_reason;
    if (reason === null) {
      const names = (references.get(own) ?? []).flatMap((row) => row.names);
      checkText({ file, content, chunks: chunks.get(own) ?? [], symbols: symbols.get(own) ?? [], names });
    } else {
      skipped[reason] = (skipped[reason] ?? 0) + 1;
      expectThat(!chunks.has(own), `${entry.path}: is skipped and has chunks`);
    }
  }
}

type Text = {
  readonly file: File;
  readonly content: Buffer;
  readonly chunks: readonly Chunk[];
  readonly symbols: readonly Symbol[];
  readonly names: readonly string[];
};

function checkText({ file, content: written, chunks, symbols, names }: Text): void {
  const { path, encoding } = file;
  const isRead = encoding === null || encoding === "UTF-8 and Windows-1252";
  const content = isRead ? written : Buffer.from(new TextDecoder(encoding).decode(written));
  let byte = 0;
  let line = 1;
  for (const chunk of chunks) {
    const place = `${path}:${chunk.start_byte}`;
    const text = read(content, chunk.start_byte, chunk.end_byte);
    expectThat(chunk.path === path, `${place}: is of ${chunk.path}`);
    expectThat(chunk.start_byte === byte && chunk.end_byte > byte, `${place}: begins at ${chunk.start_byte}, not ${byte}`);
    expectThat(chunk.content === text, `${place}: is not what the file holds there`);
    expectThat(chunk.start_line === line, `${place}: begins in line ${line}, not ${chunk.start_line}`);
    const lastLine = line + breaksIn(text.slice(0, -1));
    expectThat(chunk.end_line === lastLine, `${place}: ends in line ${lastLine}, not ${chunk.end_line}`);
    byte = chunk.end_byte;
    line += breaksIn(text);
  }
  expectThat(byte === content.length, `${path}: the chunks end at ${byte} of ${content.length}`);
  expectThat(file.chunks === chunks.length && file.lines === (chunks.at(-1)?.end_line ?? 0), `${path}: counts of the document`);
  const whole = read(content, 0, content.length);
  const wholeLines = whole.split("\n");
  for (const { name, start_line: from, end_line: to } of symbols) {
    const lines = wholeLines.slice(from - 1, to).join("\n");
    expectThat(from >= 1 && to >= from && to <= (file.lines ?? 0) && lines.includes(name), `${path}:${from}-${to}: does not hold ${name}`);
  }
  for (const name of [...names, ...chunks.flatMap((chunk) => chunk.symbols)]) {
    expectThat(name.trim() !== "" && whole.includes(name), `${path}: does not hold the name ${JSON.stringify(name)}`);
  }
  totals.searchableFiles++;
  totals.searchableBytes += content.length;
  totals.chunks += chunks.length;
  totals.symbols += symbols.length;
  totals.references += names.length;
  totals.notUtf8 += isUtf8(written) ? 0 : 1;
}

function read(content: Buffer, start: number, end: number): string {
  const mark = content.toString("latin1", 0, 3);
  if (mark.startsWith("\xff\xfe") || mark.startsWith("\xfe\xff")) {
    const decoder = new TextDecoder(mark.startsWith("\xff") ? "utf-16le" : "utf-16be", { ignoreBOM: true });
    return decoder.decode(content.subarray(Math.max(2, start), end));
  }
  return content.toString("latin1", start === 0 && mark === "\xef\xbb\xbf" ? 3 : start, end).replaceAll(CHARACTER, (found) => {
    const bytes = Buffer.from(found, "latin1");
    return bytes.length === 1 ? windows1252.decode(bytes) : bytes.toString("utf8");
  });
}

function breaksIn(text: string): number {
  return text.split("\n").length - 1;
}

function readTree(): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>();
  for (const line of git("ls-tree", "-r", "-z", "--full-tree", commit).toString("latin1").split("\0").slice(0, -1)) {
    const [mode = "", , blob = ""] = line.slice(0, line.indexOf("\t")).split(" ");
    const name = Buffer.from(line.slice(line.indexOf("\t") + 1), "latin1");
    const path = isUtf8(name)
      ? name.toString()
      : name.toString("latin1").replaceAll(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
    found.set(path, { mode, blob, path });
  }
  return found;
}

function readContents(blobs: readonly string[]): ReadonlyMap<string, Buffer> {
  const printed = git({ input: blobs.map((blob) => `${blob}\n`).join("") }, "cat-file", "--batch");
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < printed.length;) {
    const end = printed.indexOf(10, at);
    const [blob = "", , size] = printed.toString("latin1", at, end).split(" ");
    contents.set(blob, printed.subarray(end + 1, end + 1 + Number(size)));
    at = end + 2 + Number(size);
  }
  return contents;
}

function git(first: string | { readonly input: string }, ...rest: readonly string[]): Buffer {
  const [words, input] = typeof first === "string" ? [[first, ...rest], ""] : [rest, first.input];
  const { status, stdout, stderr } = spawnSync("git", ["-C", directory, ...words], { input, maxBuffer: 2 ** 30 });
  if (status !== 0) {
    throw new Error(`git ${words.join(" ")}: ${stderr.toString()}`);
  }
  return stdout;
}

async function select<Row>(statement: { execute: (on: typeof database.query) => Promise<{ rows: unknown[] }> }): Promise<readonly Row[]> {
  return (await statement.execute(database.query)).rows as Row[];
}

function byDocument<Row extends { readonly document_id: number }>(rows: readonly Row[]): ReadonlyMap<number, readonly Row[]> {
  return Map.groupBy(rows, (row) => row.document_id);
}

function expectThat(holds: boolean, problem: string): void {
  if (!holds) {
    problems.push(problem);
  }
}
