import { embeddedText } from "#embedding/embedded-text.ts";
import type { Embedder } from "#embedding/embedder.ts";
import {
  beginSegment,
  finishSegment,
  insertChunks,
  insertFiles,
  insertPostings,
  insertVectors,
  type Build,
  type BuildTotals,
  type NewChunk,
  type NewFile,
  type NewPostings,
} from "#store/builds.store.ts";
import type { CodeIndexDatabase } from "#store/tenant.ts";
import { createPostingsCollector, type PostingsCollector } from "./collect-postings.ts";

/** A chunk as it comes out of a file; the writer numbers it. */
export type UnnumberedChunk = Omit<NewChunk, "ordinal">;

/** Writes a build's rows in batches, one at a time, each a statement of its own: no transaction stays open while files are read. */
export type BuildWriter = {
  readonly add: (file: NewFile, chunks: readonly UnnumberedChunk[]) => Promise<void>;
  /** Writes what is left, and says what should be there now. */
  readonly finish: () => Promise<BuildTotals>;
  /** Writes nothing more, and returns when nothing is being written: then the build can be deleted. */
  readonly abandon: () => Promise<void>;
};

type WriterOptions = {
  readonly database: CodeIndexDatabase;
  readonly build: Build;
  readonly embedder: Embedder | undefined;
};

/** Rows, or characters of their texts, that a statement writes. */
const BATCH_ROWS = 250;
const BATCH_CHARACTERS = 500_000;
/** Bounds the memory that postings take until they are packed. */
const SEGMENT_CHUNKS = 20_000;

type Segment = { readonly segmentId: number; readonly postings: PostingsCollector; chunks: number };

export function createBuildWriter({ database, build, embedder }: WriterOptions): BuildWriter {
  let files: NewFile[] = [];
  let chunks: NewChunk[] = [];
  let characters = 0;
  let segment: Segment | undefined;
  let writing = Promise.resolve();
  const totals = { files: 0, indexed: 0, chunks: 0, vectors: 0 };

  async function flushFiles(): Promise<void> {
    const batch = files;
    files = [];
    if (batch.length > 0) {
      await insertFiles(database, build, batch);
    }
  }

  /** Returns when the batch before is written: the database works on one while the next is read and split. */
  async function flushChunks(segmentId: number): Promise<void> {
    const batch = chunks;
    chunks = [];
    characters = 0;
    await writing;
    writing = writeChunks(segmentId, batch);
    // Whoever waits for it next learns of a failure.
    writing.catch(() => undefined);
  }

  async function writeChunks(segmentId: number, batch: readonly NewChunk[]): Promise<void> {
    await insertChunks(database, build, { segmentId, chunks: batch });
    if (embedder === undefined) {
      return;
    }
    const embedded = await embedder.embed(batch.map(embeddedText), { purpose: "document", signal: new AbortController().signal });
    const numbered = embedded.flatMap((outcome, index) =>
      "vector" in outcome ? [{ ordinal: batch[index]?.ordinal ?? 0, ...outcome }] : [],
    );
    await insertVectors(database, build, { segmentId, vectors: numbered });
    totals.vectors += numbered.length;
  }

  async function closeSegment(): Promise<void> {
    if (segment === undefined) {
      return;
    }
    const { segmentId, postings, chunks: count } = segment;
    segment = undefined;
    await flushChunks(segmentId);
    await writing;
    for (const batch of inBatches(postings.packed())) {
      await insertPostings(database, build, { segmentId, postings: batch });
    }
    await finishSegment(database, build, { segmentId, chunks: count, averageLength: postings.averageLength() });
  }

  async function addChunk(chunk: UnnumberedChunk): Promise<void> {
    segment ??= { segmentId: await beginSegment(database, build), postings: createPostingsCollector(), chunks: 0 };
    chunks.push({ ...chunk, ordinal: segment.chunks });
    segment.chunks++;
    totals.chunks++;
    characters += chunk.content.length;
    segment.postings.add(chunk);
    if (chunks.length >= BATCH_ROWS || characters >= BATCH_CHARACTERS) {
      await flushChunks(segment.segmentId);
    }
    if (segment.chunks >= SEGMENT_CHUNKS) {
      await closeSegment();
    }
  }

  return {
    add: async (file, given) => {
      files.push(file);
      totals.files++;
      totals.indexed += file.skip_reason === null ? 1 : 0;
      for (const chunk of given) {
        await addChunk(chunk);
      }
      if (files.length >= BATCH_ROWS) {
        await flushFiles();
      }
    },
    finish: async () => {
      await closeSegment();
      await flushFiles();
      return totals;
    },
    abandon: () => writing.catch(() => undefined),
  };
}

/** Postings are small but many: by number and by bytes. */
const POSTINGS_ROWS = 5_000;
const POSTINGS_BYTES = 500_000;

function* inBatches(postings: Iterable<NewPostings>): Generator<readonly NewPostings[], void, undefined> {
  let batch: NewPostings[] = [];
  let bytes = 0;
  for (const posting of postings) {
    batch.push(posting);
    bytes += posting.docs.length;
    if (batch.length >= POSTINGS_ROWS || bytes >= POSTINGS_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) {
    yield batch;
  }
}
