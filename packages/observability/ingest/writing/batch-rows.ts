import type {
  BLOB_REFERENCES,
  BLOBS,
  DEAD_LETTERS,
  GRAPHS,
  OBSERVATIONS,
  PAYLOADS,
  PRODUCERS,
  SCORES,
  TRACES,
  WriteOf,
} from "#event-columns.ts";

export type TraceWrite = WriteOf<typeof TRACES>;
export type ObservationWrite = WriteOf<typeof OBSERVATIONS>;
export type PayloadWrite = WriteOf<typeof PAYLOADS>;
export type ProducerWrite = WriteOf<typeof PRODUCERS>;
export type DeadLetterWrite = WriteOf<typeof DEAD_LETTERS>;

/** The rows of a batch. In each list every key occurs once, in the order of the keys, so that two writers never wait for each other crosswise. */
export type BatchRows = {
  readonly traces: readonly TraceWrite[];
  readonly observations: readonly ObservationWrite[];
  readonly payloads: readonly PayloadWrite[];
  readonly blobs: readonly WriteOf<typeof BLOBS>[];
  /** Those that nobody may read any more, whether they are there already or come later. */
  readonly maskedContents?: readonly { readonly project_id: string; readonly sha256: string }[];
  readonly blobReferences: readonly WriteOf<typeof BLOB_REFERENCES>[];
  /** Those that no payload of the batch refers to. */
  readonly releasedBlobs: readonly { readonly project_id: string; readonly content: string }[];
  readonly graphs: readonly WriteOf<typeof GRAPHS>[];
  readonly scores: readonly WriteOf<typeof SCORES>[];
  readonly deadLetters: readonly DeadLetterWrite[];
  readonly producers: readonly ProducerWrite[];
};

/** What belongs to a trace names it. */
export type OfTrace = { readonly project_id: string; readonly trace_id: string };
