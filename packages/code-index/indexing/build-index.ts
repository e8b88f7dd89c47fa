import type { Embedder } from "#embedding/embedder.ts";
import type { JobProgress } from "#schema.ts";
import { listTree, readBlobs, type TreeEntry } from "#source/blobs.ts";
import type { Mirror } from "#source/mirror.ts";
import type { Splitter } from "#splitting/splitter.ts";
import type { Build, BuildTotals } from "#store/builds.store.ts";
import type { CodeIndexDatabase } from "#store/tenant.ts";
import { inOrder } from "./in-order.ts";
import { readFile, skippedFile } from "./read-file.ts";
import { skipUnread } from "./skip.ts";
import { createBuildWriter, type BuildWriter } from "./write-build.ts";

type Building = {
  readonly database: CodeIndexDatabase;
  readonly build: Build;
  readonly mirror: Mirror;
  readonly embedder: Embedder | undefined;
  readonly splitter: Splitter;
  readonly report: (progress: JobProgress) => void;
  readonly signal: AbortSignal;
};

/** Files that wait for each thread, so that it never waits for the database. Bounds the memory, too. */
const AHEAD = 8;

/** Writes every file of a commit into a build, and returns what it came to. */
export async function buildIndex(building: Building): Promise<BuildTotals> {
  const writer = createBuildWriter(building);
  try {
    return await writeFiles(building, writer);
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

async function writeFiles({ mirror, splitter, report, signal }: Building, writer: BuildWriter): Promise<BuildTotals> {
  const entries = await listTree(mirror, { signal });
  const toRead: TreeEntry[] = [];
  let done = 0;
  const advance = () => report({ phase: "files", done: ++done, total: entries.length });

  for (const entry of entries) {
    const reason = skipUnread(entry);
    if (reason === undefined) {
      toRead.push(entry);
    } else {
      const { file, chunks } = skippedFile(entry, reason);
      await writer.add(file, chunks);
      advance();
    }
  }
  const contents = readBlobs(mirror, blobsOf(toRead), { signal });
  const read = async (content: Buffer, index: number) => {
    const entry = toRead[index];
    return entry === undefined ? undefined : readFile(entry, content, splitter);
  };
  for await (const given of inOrder(contents, splitter.threads * AHEAD, read)) {
    signal.throwIfAborted();
    if (given !== undefined) {
      await writer.add(given.file, given.chunks);
      advance();
    }
  }
  report({ phase: "postings", done, total: entries.length });
  return writer.finish();
}

function blobsOf(entries: readonly TreeEntry[]): readonly string[] {
  return entries.map(({ blob }) => blob);
}
