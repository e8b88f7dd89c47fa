import { embeddedText } from "#embedding/embedded-text.ts";
import type { Embedder } from "#embedding/embedder.ts";
import type { Build } from "#store/index/builds.store.ts";
import { writeDocuments, type NewDocument, type WrittenDocument } from "./documents.store.ts";
import { beginSegment, completeSegment, insertPostings, insertTrigrams, type NewPostings } from "./segments.store.ts";
import type { TrigramBlock } from "#store/index/trigrams.ts";
import { withinTenant, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { insertVectors, textsWithoutVector } from "#store/index/vectors.store.ts";
import { createPostingsMemory, type PostingsMemory } from "./postings-memory.ts";
import { createPostingsCollector, type PostingsCollector } from "./collect-postings.ts";

/** Writes contents in batches, one at a time, each a short transaction: none stays open while files are read. */
export type BuildWriter = {
  readonly add: (document: NewDocument) => Promise<void>;
  /** Writes what is left; from then on other builds can use it. Returns the paths whose contents another build was faster with. */
  readonly finish: () => Promise<readonly string[]>;
  /** Writes nothing more, and returns when nothing is being written: then the build can be deleted. */
  readonly abandon: () => Promise<void>;
};

export type WriterOptions = {
  readonly database: CodeIndexDatabase;
  readonly build: Build;
  /** Makes vectors at once; `undefined` where that takes a network, or no vectors are wanted. */
  readonly embedder: { readonly embedder: Embedder; readonly embedderId: number } | undefined;
  /** Shared with the builds beside this one, if there are any. */
  readonly memory?: PostingsMemory;
  readonly signal: AbortSignal;
};

/** Chunks, or characters of their texts, that a statement writes; a quarter of it costs PostgreSQL a fifth more of the processor. */
const BATCH_ROWS = 1_000;
const BATCH_CHARACTERS = 2_000_000;

type Segment = {
  readonly segmentId: number;
  readonly postings: PostingsCollector;
  readonly documentIds: number[];
  readonly leaveMemory: () => void;
  chunks: number;
};

export function createBuildWriter({ database, build, embedder, memory = createPostingsMemory(), signal }: WriterOptions): BuildWriter {
  let documents: NewDocument[] = [];
  let rows = 0;
  let characters = 0;
  let segment: Segment | undefined;
  let writing = Promise.resolve();
  const left: string[] = [];

  /** Returns when the batch before is written: the database works on one while the next is read and split. */
  async function flush(): Promise<void> {
    const batch = documents;
    documents = [];
    rows = 0;
    characters = 0;
    await writing;
    if (batch.length > 0) {
      writing = write(batch);
      // Whoever waits for it next learns of a failure.
      writing.catch(() => undefined);
    }
  }

  async function write(batch: readonly NewDocument[]): Promise<void> {
    signal.throwIfAborted();
    segment ??= await openSegment();
    const place = { segmentId: segment.segmentId, ordinal: segment.chunks };
    const written = await writeDocuments(database, build, { documents: batch, ...place });
    const own = new Set(written.map(({ path }) => path));
    left.push(...batch.flatMap(({ path }) => (own.has(path) ? [] : [path])));
    for (const { documentId, path, chunks } of written) {
      segment.chunks += chunks.length;
      if (chunks.length > 0) {
        segment.documentIds.push(documentId);
      }
      for (const chunk of chunks) {
        segment.postings.add({ path, ...chunk });
      }
    }
    await writeVectors(written);
    if (segment.chunks >= memory.share()) {
      await closeSegment();
    }
  }

  async function openSegment(): Promise<Segment> {
    const segmentId = await beginSegment(database, build);
    return { segmentId, postings: createPostingsCollector(), documentIds: [], leaveMemory: memory.enter(), chunks: 0 };
  }

  async function writeVectors(written: readonly WrittenDocument[]): Promise<void> {
    if (embedder === undefined) {
      return;
    }
    const texts = new Map(
      written.flatMap(({ path, chunks }) =>
        chunks.flatMap((chunk) => (chunk.text_hash === null ? [] : [[chunk.text_hash, embeddedText({ path, ...chunk })] as const])),
      ),
    );
    const vectors = { schema: build.schema, role: build.role, embedderId: embedder.embedderId };
    const hashes = [...(await textsWithoutVector(database, vectors, [...texts.keys()]))];
    if (hashes.length === 0) {
      return;
    }
    const embedded = await embedder.embedder.embed(
      hashes.map((hash) => texts.get(hash) ?? ""),
      { purpose: "document", signal },
    );
    const made = hashes.flatMap((hash, index) => {
      const outcome = embedded[index];
      return outcome !== undefined && "vector" in outcome ? [{ textHash: hash, vector: outcome.vector }] : [];
    });
    await insertVectors(database, vectors, made);
  }

  async function closeSegment(): Promise<void> {
    if (segment === undefined) {
      return;
    }
    const { segmentId, postings, chunks, documentIds, leaveMemory } = segment;
    segment = undefined;
    try {
      for (const batch of inBatches(postings.packed())) {
        await withinTenant(database, build, {}, (transaction) => insertPostings(transaction, build, { segmentId, postings: batch }));
      }
      for (const blocks of blocksInBatches(postings.trigrams())) {
        await withinTenant(database, build, {}, (transaction) => insertTrigrams(transaction, build, { segmentId, blocks }));
      }
      await completeSegment(database, build, { segmentId, chunks, documentIds });
    } finally {
      leaveMemory();
    }
  }

  return {
    add: async (document) => {
      documents.push(document);
      rows += 1 + document.chunks.length;
      characters += document.bytes;
      if (rows >= BATCH_ROWS || characters >= BATCH_CHARACTERS) {
        await flush();
      }
    },
    finish: async () => {
      await flush();
      await writing;
      await closeSegment();
      return left;
    },
    abandon: async () => {
      await writing.catch(() => undefined);
      segment?.leaveMemory();
    },
  };
}

/** Postings are small but many: by number and by bytes. */
const POSTINGS_ROWS = 5_000;
const POSTINGS_BYTES = 500_000;

export function inBatches(postings: Iterable<NewPostings>): Generator<readonly NewPostings[], void, undefined> {
  return inSizedBatches(postings, ({ docs }) => docs.length);
}

export function blocksInBatches(blocks: Iterable<TrigramBlock>): Generator<readonly TrigramBlock[], void, undefined> {
  return inSizedBatches(blocks, ({ lists }) => lists.length);
}

function* inSizedBatches<Item>(items: Iterable<Item>, sizeOf: (item: Item) => number): Generator<readonly Item[], void, undefined> {
  let batch: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    batch.push(item);
    bytes += sizeOf(item);
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
