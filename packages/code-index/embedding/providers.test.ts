import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { answer, answerOf, startEmbeddingProvider, vectorFor, type EmbeddingProvider, type Misbehaviour } from "#testing/embedding-provider.ts";
import { createEmbedder } from "./create-embedder.ts";
import { EmbedderError } from "./embedder-error.ts";
import type { Embedded, Embedder, EmbedPurpose } from "./embedder.ts";

const KEY = "sk-very-secret-0123456789";
const FAST = { timeoutMs: 400, retryBaseMs: 10 };
const DIMENSIONS = 8;

let provider: EmbeddingProvider;

afterEach(async () => {
  await provider.close();
});

function embed(embedder: Embedder, texts: readonly string[], purpose: EmbedPurpose = "document"): Promise<readonly Embedded[]> {
  return embedder.embed(texts, { purpose, signal: AbortSignal.timeout(20_000) });
}

async function failureOf(work: Promise<unknown>): Promise<EmbedderError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EmbedderError)) {
    throw new Error(`expected an EmbedderError, got ${String(error)}`);
  }
  return error;
}

function expectVectorsOf(outcomes: readonly Embedded[], texts: readonly string[]): void {
  expect(outcomes).toHaveLength(texts.length);
  for (const [index, outcome] of outcomes.entries()) {
    const raw = vectorFor(texts[index] ?? "", DIMENSIONS);
    const length = Math.hypot(...raw);
    expect("vector" in outcome ? [...outcome.vector] : outcome).toEqual(raw.map((value) => expect.closeTo(value / length, 5)));
  }
}

function times(count: number, then: Misbehaviour): Misbehaviour {
  let left = count;
  return (request, response) => left-- > 0 && then(request, response);
}

const TEXTS = Array.from({ length: 150 }, (_, index) => `function number${index}() { return ${index} }`);

describe("openai", () => {
  let embedder: Embedder;

  function create(more: object = {}): Embedder {
    const made = createEmbedder(
      {
        CODEINDEX_EMBEDDER: "openai",
        CODEINDEX_EMBEDDING_URL: provider.url,
        CODEINDEX_EMBEDDING_API_KEY: KEY,
        CODEINDEX_EMBEDDING_MODEL: "small",
        CODEINDEX_EMBEDDING_DIMENSIONS: DIMENSIONS,
        ...more,
      },
      FAST,
    );
    return made ?? expect.fail("no embedder");
  }

  beforeEach(async () => {
    provider = await startEmbeddingProvider("openai", DIMENSIONS);
    embedder = create();
  });

  test("each text has its own vector of length 1, whatever the order of the answer and however many calls it takes", async () => {
    expectVectorsOf(await embed(embedder, TEXTS), TEXTS);
    expect(provider.requests.length).toBeGreaterThan(1);
    expect(provider.requests[0]).toMatchObject({ path: "/v1/embeddings", authorization: `Bearer ${KEY}` });
    expect(provider.requests[0]?.body).toEqual({ model: "small", input: expect.any(Array), encoding_format: "float" });
  });

  test("prefixes stand before code and queries, and the model is asked to shorten its vectors only where that is set", async () => {
    embedder = create({
      CODEINDEX_EMBEDDING_DOCUMENT_PREFIX: "code: ",
      CODEINDEX_EMBEDDING_QUERY_PREFIX: "question: ",
      CODEINDEX_EMBEDDING_SHORTEN: true,
    });
    await embed(embedder, ["a"]);
    await embed(embedder, ["b"], "query");
    expect(provider.requests.map(({ texts, body }) => [texts, body["dimensions"]])).toEqual([
      [["code: a"], 8],
      [["question: b"], 8],
    ]);
  });

  test("whatever changes the vectors changes the identity, and the endpoint's address does not", () => {
    const keys = [
      {},
      { CODEINDEX_EMBEDDING_MODEL: "large" },
      { CODEINDEX_EMBEDDING_DIMENSIONS: 9 },
      { CODEINDEX_EMBEDDING_REVISION: "2" },
      { CODEINDEX_EMBEDDING_DOCUMENT_PREFIX: "p" },
    ].map((more) => create(more).identity.key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(create({ CODEINDEX_EMBEDDING_URL: "http://elsewhere/v1", CODEINDEX_EMBEDDING_API_KEY: "other" }).identity.key).toBe(keys[0]);
  });

  test("a provider that is busy is asked again when it said", async () => {
    provider.misbehave(times(1, (_request, response) => answer(response, 429, { error: { message: "slow down" } }, { "retry-after": "1" })));
    const began = performance.now();
    expectVectorsOf(await embed(embedder, ["one"]), ["one"]);
    expect(performance.now() - began).toBeGreaterThan(990);
    expect(provider.requests).toHaveLength(2);
  });

  test("a provider that wants a long pause is left alone, and the pause is told", async () => {
    provider.misbehave((_request, response) => answer(response, 429, { error: { message: "quota exceeded" } }, { "retry-after": "3600" }));
    const error = await failureOf(embed(embedder, ["one"]));
    expect(error).toMatchObject({ transient: true, retryAfterMs: 3_600_000, message: expect.stringContaining("429: quota exceeded") });
    expect(provider.requests).toHaveLength(1);
  });

  test("a server error, a broken connection, a wrong shape and half an answer are tried again", async () => {
    const ways: Misbehaviour[] = [
      (_request, response) => answer(response, 500, "boom"),
      (_request, response) => response.destroy() instanceof Object,
      (_request, response) => answer(response, 200, '{"data": [{"ind'),
      (request, response) => answer(response, 200, answerOf("openai", request.texts.slice(1).map((text) => vectorFor(text, DIMENSIONS)))),
      (_request, response) => answer(response, 200, { data: [{ index: 7, embedding: [1] }, { index: 7, embedding: [1] }] }),
      (_request, response) => answer(response, 200, []),
    ];
    for (const way of ways) {
      provider.misbehave(times(2, way));
      expectVectorsOf(await embed(embedder, ["one", "two"]), ["one", "two"]);
    }
  });

  test("a provider that stays down is said to be down, in its own words and without the key", async () => {
    provider.misbehave((_request, response) => answer(response, 503, { error: { message: `overloaded, Bearer ${KEY} sk-abc***wxyz` } }));
    const error = await failureOf(embed(embedder, TEXTS));
    expect(error.transient).toBe(true);
    expect(error.message).toContain("503: overloaded");
    expect(`${error.message} ${error.stack}`).not.toMatch(/very-secret|sk-abc/);
  });

  test("an address where nobody listens is an outage, not the texts' fault", async () => {
    embedder = create({ CODEINDEX_EMBEDDING_URL: "http://127.0.0.1:9/v1" });
    const error = await failureOf(embed(embedder, ["one"]));
    expect(error.transient).toBe(true);
    expect(error.message).toMatch(/^127\.0\.0\.1:9 can't be reached: /);
  });

  test("a provider that hangs is given up, and so is one that hangs in the middle of its answer", async () => {
    for (const way of [
      () => true,
      (_request: unknown, response: Parameters<Misbehaviour>[1]) => response.writeHead(200).write('{"data": ['),
    ] as Misbehaviour[]) {
      provider.misbehave(way);
      const error = await failureOf(embed(embedder, ["one"]));
      expect(error).toMatchObject({ transient: true, message: expect.stringContaining("did not answer within 0.4 s") });
    }
  });

  test("a query is asked once only", async () => {
    provider.misbehave((_request, response) => answer(response, 500, "boom"));
    await failureOf(embed(embedder, ["one"], "query"));
    expect(provider.requests).toHaveLength(1);
  });

  test("what is not the texts' fault is told at once, in the provider's words", async () => {
    provider.misbehave((_request, response) => answer(response, 401, { error: { message: `Incorrect API key provided: ${KEY}.` } }));
    const error = await failureOf(embed(embedder, ["one"]));
    expect(error).toMatchObject({ transient: false, message: expect.stringContaining("401: Incorrect API key provided: ….") });
    expect(provider.requests).toHaveLength(1);
  });

  test("a request that is refused whatever the text is not taken for a hundred bad texts", async () => {
    provider.misbehave((_request, response) => answer(response, 400, { error: { message: "unknown model" } }));
    const error = await failureOf(embed(embedder, TEXTS));
    expect(error).toMatchObject({ transient: false, message: expect.stringContaining("400: unknown model") });
    expect(provider.requests.length).toBeLessThan(20);
  });

  test("a redirect is not followed: neither key nor code go elsewhere", async () => {
    const elsewhere = await startEmbeddingProvider("openai", DIMENSIONS);
    provider.misbehave((_request, response) => answer(response, 307, "", { location: `${elsewhere.url}/embeddings` }));
    expect((await failureOf(embed(embedder, ["one"]))).message).toContain("307");
    expect(elsewhere.requests).toHaveLength(0);
    await elsewhere.close();
  });

  test("one bad text is refused alone, with the reason", async () => {
    const texts = TEXTS.with(77, "BAD");
    provider.misbehave(
      (request, response) => request.texts.some((text) => text.includes("BAD")) && answer(response, 400, { error: { message: "no such text" } }),
    );
    const outcomes = await embed(embedder, texts);
    expect(outcomes[77]).toEqual({ refused: expect.stringContaining("400: no such text") });
    expectVectorsOf(outcomes.toSpliced(77, 1), texts.toSpliced(77, 1));
  });

  test("a text that breaks the provider down is refused alone, too", async () => {
    const texts = TEXTS.slice(0, 20).with(7, "POISON");
    provider.misbehave((request, response) => request.texts.some((text) => text.includes("POISON")) && answer(response, 500, "panic"));
    const outcomes = await embed(embedder, texts);
    expect(outcomes[7]).toEqual({ refused: expect.stringContaining("500") });
    expectVectorsOf(outcomes.toSpliced(7, 1), texts.toSpliced(7, 1));
  });

  test("a text that is too long for the model is cut until it fits", async () => {
    const long = `${"const someLongName = anotherName + 1;\n".repeat(200)}`;
    provider.misbehave(
      (request, response) => request.texts.some((text) => text.length > 2_500) && answer(response, 413, { error: "must have less than 512 tokens" }),
    );
    const outcomes = await embed(embedder, ["short", long, "other"]);
    expect(outcomes.map((outcome) => "vector" in outcome)).toEqual([true, true, true]);
    expectVectorsOf([outcomes[0] ?? { refused: "" }, outcomes[2] ?? { refused: "" }], ["short", "other"]);
    const last = provider.requests.flatMap(({ texts }) => texts).filter((text) => text.length > 100 && text.length <= 2_500);
    expect(long.startsWith(last[0] ?? "-")).toBe(true);
  });

  test("texts are cut to the tokens that are set, one huge line as well", async () => {
    embedder = create({ CODEINDEX_EMBEDDING_MAX_TOKENS: 16 });
    await embed(embedder, ["x1y2z3".repeat(5_000), "a b c\n".repeat(500)]);
    expect(provider.requests.flatMap(({ texts }) => texts).every((text) => text.length > 5 && text.length < 200)).toBe(true);
  });

  test("a provider that takes fewer texts at once is found out once", async () => {
    provider.misbehave((request, response) => request.texts.length > 32 && answer(response, 422, { error: "batch size > 32" }));
    expectVectorsOf(await embed(embedder, TEXTS), TEXTS);
    provider.requests.length = 0;
    expectVectorsOf(await embed(embedder, TEXTS), TEXTS);
    expect(provider.requests.every(({ texts }) => texts.length <= 32)).toBe(true);
  });

  test("a vector of another length says which length to set", async () => {
    provider.misbehave((request, response) => answer(response, 200, answerOf("openai", request.texts.map((text) => vectorFor(text, 12)))));
    const error = await failureOf(embed(embedder, ["one"]));
    expect(error).toMatchObject({ transient: false, message: expect.stringContaining("Set it to 12") });
  });

  test("a vector with something other than numbers is no vector, and many of them are the provider's fault", async () => {
    provider.misbehave((request, response) =>
      answer(
        response,
        200,
        answerOf("openai", request.texts.map((text) => (text === "odd" ? [...vectorFor(text, 7), null] : vectorFor(text, DIMENSIONS)))),
      ),
    );
    const outcomes = await embed(embedder, ["one", "odd"]);
    expect(outcomes[1]).toEqual({ refused: expect.stringContaining("other than numbers") });
    expectVectorsOf(outcomes.slice(0, 1), ["one"]);
    provider.misbehave((request, response) => answer(response, 200, answerOf("openai", request.texts.map(() => Array(DIMENSIONS).fill(null)))));
    expect((await failureOf(embed(embedder, ["one"]))).transient).toBe(false);
  });

  test("blank texts are not sent, and strange ones arrive whole", async () => {
    const strange = ["\u0000 nul", "\ud800 half a pair", "नमस्ते 🏴‍☠️", "\u202Eright to left"];
    const outcomes = await embed(embedder, ["", "  \n", ...strange]);
    expect(outcomes.slice(0, 2)).toEqual([{ refused: "the text is blank" }, { refused: "the text is blank" }]);
    expect(outcomes.slice(2).every((outcome) => "vector" in outcome)).toBe(true);
    expect(provider.requests).toHaveLength(1);
  });

  test("what was made before a failure is handed over with it", async () => {
    provider.misbehave((request, response) => request.texts.some((text) => text.includes("number149")) && answer(response, 401, "no"));
    const error = await failureOf(embed(embedder, TEXTS));
    expect(error.partial).toHaveLength(TEXTS.length);
    expect(error.partial.filter((outcome) => outcome !== undefined).length).toBeGreaterThanOrEqual(64);
  });

  test("an answer without end is broken off", async () => {
    provider.misbehave((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write("[".repeat(1_000_000))) {
          // Until the connection is full.
        }
      };
      response.writeHead(200).on("drain", more);
      more();
      return true;
    });
    const patient = createEmbedder(
      { CODEINDEX_EMBEDDER: "openai", CODEINDEX_EMBEDDING_URL: provider.url, CODEINDEX_EMBEDDING_MODEL: "m", CODEINDEX_EMBEDDING_DIMENSIONS: 8 },
      { timeoutMs: 15_000, retryBaseMs: 10 },
    );
    expect((await failureOf(embed(patient ?? expect.fail(), ["one"], "query"))).message).toContain("64 MiB");
  });

  test("an embedding ends when it is told to", async () => {
    provider.misbehave(() => true);
    const ending = new AbortController();
    const work = embedder.embed(["one"], { purpose: "document", signal: ending.signal });
    await vi.waitFor(() => expect(provider.requests).toHaveLength(1));
    ending.abort(new Error("stopping"));
    await expect(work).rejects.toThrow("stopping");
  });
});

describe("vertex", () => {
  let metadata: { readonly url: string; readonly close: () => Promise<void> };

  beforeEach(async () => {
    provider = await startEmbeddingProvider("vertex", DIMENSIONS);
    metadata = await startMetadataServer();
    // Where the library finds the credentials of the machine it runs on, as on Google Cloud.
    vi.stubEnv("GCE_METADATA_HOST", metadata.url);
    vi.stubEnv("METADATA_SERVER_DETECTION", "assume-present");
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", "");
    vi.stubEnv("HOME", "/nonexistent");
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await metadata.close();
  });

  function create(more: object = {}): Embedder {
    const made = createEmbedder(
      {
        CODEINDEX_EMBEDDER: "vertex",
        CODEINDEX_EMBEDDING_URL: provider.url,
        CODEINDEX_EMBEDDING_PROJECT: "our-project",
        CODEINDEX_CLOUD_PROJECT: "another",
        CODEINDEX_CLOUD_LOCATION: "europe-west4",
        CODEINDEX_EMBEDDING_MODEL: "text-embedding-005",
        CODEINDEX_EMBEDDING_DIMENSIONS: DIMENSIONS,
        ...more,
      },
      FAST,
    );
    return made ?? expect.fail("no embedder");
  }

  test("code and queries are asked for with their task types, the token of the machine and the wanted dimensions", async () => {
    const embedder = create();
    expectVectorsOf(await embed(embedder, ["one", "two"]), ["one", "two"]);
    await embed(embedder, ["three"], "query");
    expect(provider.requests[0]).toMatchObject({
      path: "/v1/projects/our-project/locations/europe-west4/publishers/google/models/text-embedding-005:predict",
      authorization: "Bearer machine-token",
      body: {
        instances: [
          { content: "one", task_type: "RETRIEVAL_DOCUMENT" },
          { content: "two", task_type: "RETRIEVAL_DOCUMENT" },
        ],
        parameters: { outputDimensionality: 8, autoTruncate: true },
      },
    });
    expect(provider.requests[1]?.body["instances"]).toEqual([{ content: "three", task_type: "CODE_RETRIEVAL_QUERY" }]);
  });

  test("the Gemini models are asked for one text at a time", async () => {
    const texts = TEXTS.slice(0, 10);
    expectVectorsOf(await embed(create({ CODEINDEX_EMBEDDING_MODEL: undefined }), texts), texts);
    expect(provider.requests).toHaveLength(10);
  });

  test("a call that holds too many tokens is divided", async () => {
    provider.misbehave(
      (request, response) => request.texts.length > 20 && answer(response, 400, { error: { code: 400, message: "too many tokens", status: "INVALID" } }),
    );
    expectVectorsOf(await embed(create(), TEXTS), TEXTS);
  });

  test("a missing role is told in Google's words", async () => {
    provider.misbehave((_request, response) =>
      answer(response, 403, [{ error: { code: 403, message: "Permission 'aiplatform.endpoints.predict' denied", status: "PERMISSION_DENIED" } }]),
    );
    const error = await failureOf(embed(create(), ["one"]));
    expect(error).toMatchObject({ transient: false, message: expect.stringContaining("403: Permission 'aiplatform.endpoints.predict' denied") });
  });

  test("a machine without credentials is told so, and asked again later", async () => {
    await metadata.close();
    const error = await failureOf(embed(create(), ["one"], "query"));
    expect(error).toMatchObject({ transient: true, message: expect.stringContaining("Google Cloud gave no access token") });
    expect(provider.requests).toHaveLength(0);
  });
});

describe("static", () => {
  let folder: string;

  beforeEach(async () => {
    provider = await startEmbeddingProvider();
    folder = await mkdtemp(join(tmpdir(), "sightline-model-"));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const WORDS = ["[PAD]", "[UNK]", "read", "file", "##s", "colour"];

  async function writeModel(dtype = "F32", extra: object = {}): Promise<void> {
    const rows = WORDS.map((_, word) => Array.from({ length: 4 }, (_value, at) => (at === word - 2 ? 2 : 0)));
    const table = dtype === "F32" ? Buffer.from(Float32Array.from(rows.flat()).buffer) : Buffer.from(Uint16Array.from(rows.flat(), (value) => (value === 2 ? 0x4000 : 0)).buffer);
    const header = Buffer.from(
      JSON.stringify({ __metadata__: { format: "pt" }, embeddings: { dtype, shape: [WORDS.length, 4], data_offsets: [0, table.length] }, ...extra }),
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
    return createEmbedder({ CODEINDEX_EMBEDDER: "static", CODEINDEX_EMBEDDING_MODEL: folder, ...more }) ?? expect.fail("no embedder");
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
});

describe("what must be set", () => {
  beforeEach(async () => {
    provider = await startEmbeddingProvider();
  });

  test("everything that is missing is named at once", () => {
    expect(() => createEmbedder({ CODEINDEX_EMBEDDER: "openai" })).toThrow(
      /CODEINDEX_EMBEDDER=openai needs CODEINDEX_EMBEDDING_URL, CODEINDEX_EMBEDDING_MODEL, CODEINDEX_EMBEDDING_DIMENSIONS, which are not set/,
    );
    expect(() => createEmbedder({ CODEINDEX_EMBEDDER: "vertex", CODEINDEX_CLOUD_PROJECT: "p" })).toThrow(
      /needs CODEINDEX_EMBEDDING_REGION \(or CODEINDEX_CLOUD_LOCATION\), which is not set/,
    );
    expect(() => createEmbedder({ CODEINDEX_EMBEDDER: "static" })).toThrow(/needs CODEINDEX_EMBEDDING_MODEL, which is not set/);
    expect(createEmbedder({ CODEINDEX_EMBEDDER: "none" })).toBeUndefined();
  });
});

async function startMetadataServer() {
  const server = createServer((request, response) => {
    response.setHeader("metadata-flavor", "Google").setHeader("content-type", "application/json");
    response.end(
      request.url?.includes("/token") === true ? JSON.stringify({ access_token: "machine-token", expires_in: 3600, token_type: "Bearer" }) : "{}",
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
