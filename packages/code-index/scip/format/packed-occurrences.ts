import protobuf from "protobufjs/minimal.js";

/** A symbol at a place of a document: line and columns from 0, in UTF-16, the end not included. */
export type Occurrence = {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Which of the document's symbols. */
  readonly symbol: number;
  readonly isDefinition: boolean;
};

/** Some four bytes each: by line and column, each line as its distance from the one before. */
export function packOccurrences(occurrences: readonly Occurrence[]): Buffer {
  const writer = protobuf.Writer.create();
  let before = 0;
  for (const { line, start, end, symbol, isDefinition } of occurrences.toSorted((a, b) => a.line - b.line || a.start - b.start)) {
    writer
      .uint32(line - before)
      .uint32(start)
      .uint32(end - start)
      .uint32(symbol * 2 + (isDefinition ? 1 : 0));
    before = line;
  }
  return Buffer.from(writer.finish());
}

export function* unpackOccurrences(packed: Uint8Array): Generator<Occurrence> {
  const reader = protobuf.Reader.create(packed);
  let line = 0;
  while (reader.pos < reader.len) {
    line += reader.uint32();
    const start = reader.uint32();
    const end = start + reader.uint32();
    const code = reader.uint32();
    yield { line, start, end, symbol: code >> 1, isDefinition: (code & 1) === 1 };
  }
}
