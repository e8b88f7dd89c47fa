import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { EVENT_SCHEMA_FILE, eventJsonSchema } from "./event-schema-file.ts";
import { eventSchema, type StreamEvent } from "./event.ts";
import { MAX_BODY_LENGTH, decodeEntry, encodeEvent } from "./stream-entry.ts";

type Vectors = {
  readonly valid: readonly { readonly name: string; readonly event: StreamEvent }[];
  readonly invalid: readonly { readonly name: string; readonly path: string; readonly event: unknown }[];
  readonly entries: {
    readonly valid: readonly { readonly name: string; readonly fields: string[]; readonly event: StreamEvent }[];
    readonly invalid: readonly { readonly name: string; readonly reason: string; readonly fields: string[] }[];
  };
};

type OddValues = { readonly texts: readonly { readonly name: string; readonly value: unknown; readonly kept: string | null }[] };

const oddValues = JSON.parse(await readFile(new URL("./odd-values-vectors.json", import.meta.url), "utf8")) as OddValues;
const vectors = JSON.parse(await readFile(new URL("./event-vectors.json", import.meta.url), "utf8")) as Vectors;

describe("the event schema", () => {
  test("is the one in event-v1.schema.json; `npm run event-schema -w @sightline/observability` writes it anew", async () => {
    expect(JSON.parse(await readFile(EVENT_SCHEMA_FILE, "utf8"))).toEqual(eventJsonSchema());
  });

  test.each(vectors.valid)("accepts $name", ({ event }) => {
    expect(eventSchema.safeParse(event).error).toBeUndefined();
  });

  test.each(vectors.invalid)("refuses $name", ({ event, path }) => {
    const paths = eventSchema.safeParse(event).error?.issues.map((issue) => issue.path.join("."));
    expect(paths).toContain(path);
  });

  test("has an example of every type of event", () => {
    const types = eventSchema.options.map((option) => option.shape.type.value);
    expect(new Set(vectors.valid.map(({ event }) => event.type))).toEqual(new Set(types));
  });
});

describe("a stream entry", () => {
  test.each(vectors.valid)("carries $name unchanged", ({ event }) => {
    expect(decodeEntry(encodeEvent(event))).toEqual({ ok: true, event: eventSchema.parse(event) });
  });

  test.each(vectors.entries.valid)("is $name", ({ event, fields }) => {
    expect(encodeEvent(event)).toEqual(fields);
  });

  test.each(vectors.entries.invalid)("with $name is refused with a reason", ({ fields, reason }) => {
    const decoded = decodeEntry(fields);
    expect(decoded).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
  });

  test("that is refused still says who sent it, where that can be read", () => {
    const [first] = vectors.entries.valid;
    const fields = [...(first?.fields ?? [])];
    fields[fields.indexOf("body") + 1] = "{";
    expect(decodeEntry(fields)).toMatchObject({
      origin: { projectId: first?.event.project_id, producerId: first?.event.producer_id, seq: first?.event.seq },
    });
  });

  test("replaces NUL and halves of surrogate pairs, which PostgreSQL cannot hold, in texts and keys", () => {
    const decoded = decodeBody({ input: { "a\0": ["x\0y", "\ud800"], good: "😀" } });
    expect(decoded).toMatchObject({ ok: true, event: { body: { input: { "a\uFFFD": ["x\uFFFDy", "\uFFFD"], good: "😀" } } } });
  });

  test("nested 100,000 deep is refused and breaks nothing", () => {
    const deep = `{"input":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(decodeEntry(withBody(deep))).toMatchObject({ ok: false, reason: expect.stringContaining("nested deeper") });
  });

  test("nested as deep as may be is read, one deeper is refused, and brackets in a text are no nesting", () => {
    const nested = (depth: number) => decodeBody({ input: Array.from({ length: depth }).reduce((inner) => [inner], "x") });
    expect(nested(199)).toMatchObject({ ok: true });
    expect(nested(200)).toMatchObject({ ok: false, reason: expect.stringContaining("nested deeper") });
    expect(decodeBody({ input: "[{".repeat(1_000) })).toMatchObject({ ok: true });
  });

  test("over the limit of a body's length is refused", () => {
    expect(decodeEntry(withBody(`"${"x".repeat(MAX_BODY_LENGTH)}"`))).toMatchObject({
      ok: false,
      reason: expect.stringContaining("the limit is"),
    });
  });

  test("with a key named __proto__ keeps it as data", () => {
    const fields = withBody(
      '{"trace_id":"0199a000-0000-7000-8000-000000000100","name":"t","started_at":"2026-11-21T10:00:03Z","input":{"__proto__":{"admin":true}}}',
    );
    const decoded = decodeEntry(fields);
    expect(decoded.ok && JSON.stringify(decoded.event.body)).toContain('"input":{"__proto__":{"admin":true}}');
  });
});

function decodeBody(extra: object) {
  const { event } = vectors.valid.find((vector) => vector.event.type === "trace.start") ?? {};
  return decodeEntry(withBody(JSON.stringify({ ...event?.body, ...extra })));
}

function withBody(body: string): string[] {
  const fields = [...(vectors.entries.valid[0]?.fields ?? [])];
  fields[fields.indexOf("body") + 1] = body;
  return fields;
}

const REFUSED = expect.stringMatching(/user_id.*release/) as string;

describe("a field that takes a text, from a producer without our SDKs", () => {
  const encode = (fields: object) => {
    const start = vectors.valid.find(({ event }) => event.type === "trace.start")?.event;
    return decodeEntry(encodeEvent({ ...start, body: { ...start?.body, ...fields } } as StreamEvent));
  };

  test.each(oddValues.texts)("keeps $name as a text, or says why not", ({ value, kept }) => {
    const decoded = encode({ user_id: value, release: value });
    const isKept = kept !== null || value === null;
    expect(decoded.ok).toBe(isKept);
    expect(decoded).toMatchObject(isKept ? { event: { body: { user_id: kept ?? undefined } } } : { reason: REFUSED });
  });

  test("may be a name, or one of the tags, or all of them", () => {
    expect(encode({ name: 7, tags: ["a", 1, true] })).toMatchObject({ event: { body: { name: "7", tags: ["a", "1", "true"] } } });
    expect(encode({ tags: "prod" })).toMatchObject({ event: { body: { tags: ["prod"] } } });
    expect(encode({ tags: null })).toMatchObject({ event: { body: { tags: undefined } } });
  });
});
