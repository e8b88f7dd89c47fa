import protobuf from "protobufjs/minimal.js";

export type ScipPlace = {
  /** As SCIP has it: line, column, the last line where it is another one, and the column behind the end. */
  readonly range: readonly number[];
  readonly symbol: string;
  readonly isDefinition?: boolean;
};

export type ScipFile = {
  readonly path: string;
  /** The number of SCIP's `PositionEncoding`; UTF-16 when left out. */
  readonly encoding?: number;
  readonly places: readonly ScipPlace[];
  /** Which of its symbols implement which. */
  readonly relations?: readonly { readonly symbol: string; readonly base: string }[];
};

/** The bytes of `scipMetadata` come before those of the documents. */
export function writeScipIndex(files: readonly ScipFile[]): Buffer {
  return Buffer.concat([scipMetadata(), ...files.map(scipDocument)]);
}

export function scipMetadata({ tool = "hand", version = "1", projectRoot = "" } = {}): Buffer {
  const index = protobuf.Writer.create();
  index
    .uint32(10)
    .fork()
    .uint32(18)
    .fork()
    .uint32(10)
    .string(tool)
    .uint32(18)
    .string(version)
    .ldelim()
    .uint32(26)
    .string(projectRoot)
    .ldelim();
  return Buffer.from(index.finish());
}

export function scipDocument({ path, encoding = 2, places, relations = [] }: ScipFile): Buffer {
  const index = protobuf.Writer.create();
  index.uint32(18).fork().uint32(10).string(path).uint32(48).int32(encoding);
  for (const { range, symbol, isDefinition = false } of places) {
    index.uint32(18).fork().uint32(10).fork();
    range.forEach((number) => index.int32(number));
    index
      .ldelim()
      .uint32(18)
      .string(symbol)
      .uint32(24)
      .int32(isDefinition ? 1 : 0)
      .ldelim();
  }
  for (const [symbol, bases] of Map.groupBy(relations, (relation) => relation.symbol)) {
    index.uint32(26).fork().uint32(10).string(symbol);
    bases.forEach(({ base }) => index.uint32(34).fork().uint32(10).string(base).uint32(24).bool(true).ldelim());
    index.ldelim();
  }
  return Buffer.from(index.ldelim().finish());
}
