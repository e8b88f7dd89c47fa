import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createKnown, embed } from "#testing/embedding-outcomes.ts";
import type { Embedder } from "./embedder.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-model-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const WORDS = ["[PAD]", "[UNK]", "read", "file", "##s", "colour"];

async function writeModel(dtype = "F32", extra: object = {}): Promise<void> {
  const rows = WORDS.map((_, word) => Array.from({ length: 4 }, (_value, at) => (at === word - 2 ? 2 : 0)));
  const table =
    dtype === "F32"
      ? Buffer.from(Float32Array.from(rows.flat()).buffer)
      : Buffer.from(Uint16Array.from(rows.flat(), (value) => (value === 2 ? 0x4000 : 0)).buffer);
  const header = Buffer.from(
    JSON.stringify({
      __metadata__: { format: "pt" },
      embeddings: { dtype, shape: [WORDS.length, 4], data_offsets: [0, table.length] },
      ...extra,
    }),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  await writeFile(join(folder, "model.safetensors"), Buffer.concat([length, header, table]));
  await writeFile(join(folder, "config.json"), JSON.stringify({ model_type: "model2vec", normalize: true }));
  await writeFile(
    join(folder, "tokenizer.json"),
    JSON.stringify({
      version: "1.0",
      added_tokens: [],
      normalizer: { type: "BertNormalizer", clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
      pre_tokenizer: { type: "BertPreTokenizer" },
      post_processor: null,
      decoder: null,
      model: {
        type: "WordPiece",
        unk_token: "[UNK]",
        continuing_subword_prefix: "##",
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(WORDS.map((word, index) => [word, index])),
      },
    }),
  );
}

function create(more: object = {}): Embedder {
  return createKnown({ CODEINDEX_EMBEDDER: "static", CODEINDEX_EMBEDDING_MODEL: folder, ...more });
}

test("a text's vector is the mean of its pieces' vectors, at length 1, and unknown words count for nothing", async () => {
  await writeModel();
  const embedder = create();
  expect(embedder).toMatchObject({ local: true, identity: { dimensions: 4, provider: "static" } });
  const outcomes = await embed(embedder, ["read", "Read files, zzz!", "zzz"]);
  const third = 1 / Math.sqrt(3);
  expect(outcomes.map((outcome) => ("vector" in outcome ? [...outcome.vector] : []))).toEqual([
    [1, 0, 0, 0],
    [third, third, third, 0].map((value) => expect.closeTo(value, 5)),
    [0, 0, 0, 0],
  ]);
});

test("tables of half precision are read, and another file is another identity", async () => {
  await writeModel();
  const { key } = create().identity;
  await writeModel("F16");
  const embedder = create();
  expect(embedder.identity.key).not.toBe(key);
  const [outcome] = await embed(embedder, ["colour"]);
  expect(outcome).toEqual({ vector: Float32Array.of(0, 0, 0, 1) });
});

test("a folder that holds no model says what is wrong with it", async () => {
  expect(() => create()).toThrow(/CODEINDEX_EMBEDDING_MODEL=.* is no folder of a Model2Vec model: ENOENT/);
  await writeModel();
  for (const broken of [Buffer.alloc(3), Buffer.alloc(40, 255), Buffer.from("ff00000000000000{}")]) {
    await writeFile(join(folder, "model.safetensors"), broken);
    expect(() => create()).toThrow(/safetensors/);
  }
  await writeModel("F32", { embeddings: { dtype: "F32", shape: [6, 4], data_offsets: [0, 400] } });
  expect(() => create()).toThrow(/not whole/);
  await writeModel("F32", { embeddings: { dtype: "U4", shape: [6, 4], data_offsets: [0, 96] } });
  expect(() => create()).toThrow(/type U4/);
});
