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

  test("nested 100,000 deep loses what is deepest and breaks nothing", () => {
    const decoded = decodeBody({}, `,"input":${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    expect(decoded.ok && JSON.stringify(decoded.event.body)).toContain('[["(left out: nested deeper than 200)"]]');
  });

  test("nested as deep as may be is read, one deeper is cut there, and brackets in a text are no nesting", () => {
    const nested = (depth: number) => decodeBody({ input: Array.from({ length: depth }).reduce((inner) => [inner], "x") });
    expect(nested(199)).toMatchObject({ ok: true });
    expect(JSON.stringify(nested(199))).not.toContain("left out");
    expect(JSON.stringify(nested(200))).toContain("left out: nested deeper");
    expect(decodeBody({ input: "[{".repeat(1_000) })).toMatchObject({ ok: true });
  });

  test("keeps numbers in values as they were written, also where a half of a pair is replaced and an odd field is mended", () => {
    const sent = '{"id":9007199254740993,"price":1.10,"huge":1e400,"held":9007199254740991,"text":"\\ud800"}';
    const decoded = decodeBody({}, `,"input":${sent},"user_id":[1.0],"attributes":{"zero":-0}`);
    expect(decoded.ok && JSON.stringify(decoded.event.body)).toContain(`"input":${sent.replace("\\ud800", "\uFFFD")}`);
    expect(decoded.ok && JSON.stringify(decoded.event.body)).toContain('"attributes":{"zero":-0,"sightline.bent":{"user_id":"[1]"}}');
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

function decodeBody(extra: object, json = "") {
  const { event } = vectors.valid.find((vector) => vector.event.type === "trace.start") ?? {};
  return decodeEntry(withBody(JSON.stringify({ ...event?.body, ...extra }).replace(/\}$/, `${json}}`)));
}

function withBody(body: string): string[] {
  const fields = [...(vectors.entries.valid[0]?.fields ?? [])];
  fields[fields.indexOf("body") + 1] = body;
  return fields;
}

describe("a field that takes a text, from a producer without our SDKs", () => {
  const encode = (fields: object) => {
    const start = vectors.valid.find(({ event }) => event.type === "trace.start")?.event;
    return decodeEntry(encodeEvent({ ...start, body: { ...start?.body, ...fields } } as StreamEvent));
  };

  test.each(oddValues.texts)("keeps $name as a text, or leaves it out and says so", ({ value, kept }) => {
    const body = { user_id: kept ?? undefined, release: kept ?? undefined };
    const isKept = kept !== null || value === null;
    const sent = JSON.stringify(value);
    const attributes = isKept ? {} : { attributes: { "sightline.bent": { user_id: sent, release: sent } } };
    expect(encode({ user_id: value, release: value })).toMatchObject({ ok: true, event: { body: { ...body, ...attributes } } });
  });

  test("may be a name, or one of the tags, or all of them", () => {
    expect(encode({ name: 7, tags: ["a", 1, true] })).toMatchObject({ event: { body: { name: "7", tags: ["a", "1", "true"] } } });
    expect(encode({ tags: "prod" })).toMatchObject({ event: { body: { tags: ["prod"] } } });
    expect(encode({ tags: null })).toMatchObject({ event: { body: { tags: undefined } } });
  });
});

describe("an event with one odd field is kept, the field bent or left out and named in its attributes", () => {
  const cases: readonly (readonly [name: string, type: StreamEvent["type"], field: string, value: unknown, kept: unknown])[] = [
    ["a name that is too long", "trace.start", "name", "n".repeat(501), "n".repeat(500)],
    ["a name that is a list", "trace.start", "name", ["a"], '["a"]'],
    ["no name", "trace.start", "name", undefined, "unnamed"],
    ["a user that is too long", "trace.start", "user_id", "u".repeat(501), "u".repeat(500)],
    ["too many tags", "trace.start", "tags", Array.from({ length: 51 }, () => "t"), Array.from({ length: 50 }, () => "t")],
    ["a time with an offset", "trace.start", "started_at", "2026-11-21T12:00:00+02:00", "2026-11-21T10:00:00.000Z"],
    ["attributes that are a list", "trace.start", "attributes", [1], expect.objectContaining({ value: [1] })],
    ["an unknown kind", "observation.start", "kind", "agent", "span"],
    ["an odd parent", "observation.start", "parent_id", "root", null],
    ["code without a line", "observation.start", "code", { file: "a.py", line: 0 }, undefined],
    ["another status", "observation.end", "status", "cancelled", "failure"],
    ["no status", "observation.end", "status", undefined, "success"],
    ["a negative duration", "observation.end", "duration_ms", -1, 0],
    ["half a token", "observation.end", "usage", { input_tokens: 0.5, output_tokens: 2 }, { output_tokens: 2 }],
    ["a move by no known way", "observation.end", "next", [{ to: "a", via: "magic" }], undefined],
    ["a model that is an object", "observation.end", "model", { id: 1 }, undefined],
  ];

  test.each(cases)("%s", (_name, type, field, value, kept) => {
    const decoded = decodeOdd(type, { [field]: value });
    expect(decoded).toMatchObject({ ok: true, event: { body: { [field]: kept, attributes: { "sightline.bent": expect.any(Object) } } } });
    const bent = decoded.ok && "attributes" in decoded.event.body ? decoded.event.body.attributes?.["sightline.bent"] : {};
    expect(Object.keys(bent ?? {})[0]).toMatch(new RegExp(`^${field}`));
  });

  test.each([
    [{ status: "timeout" }, { status: "failure", result: 1 }, { "tool_entry.status": '"timeout"' }],
    [{ parameters: "q" }, { parameters: { value: "q" } }, { "tool_entry.parameters": '"q"' }],
    [{ timestamp: "now" }, { tool_name: "t", timestamp: expect.any(String) }, { "tool_entry.timestamp": '"now"' }],
  ])("a tool entry with %j", (odd, kept, bent) => {
    const entry = { tool_name: "t", parameters: {}, result: 1, timestamp: "2026-11-21T10:00:00Z", status: "success" };
    expect(decodeOdd("observation.end", { tool_entry: { ...entry, ...odd } })).toMatchObject({
      event: { body: { tool_entry: kept, attributes: { "sightline.bent": bent } } },
    });
  });

  test.each([
    ["0.9", { value: 0.9 }],
    ["good", { text_value: "good" }],
    [true, { value: true }],
  ])("a score of %j", (value, kept) => {
    expect(decodeOdd("score", { value })).toMatchObject({ ok: true, event: { body: kept } });
  });

  test("but what belongs to no trace is refused", () => {
    expect(decodeOdd("observation.end", { trace_id: "t-1", status: "cancelled" })).toMatchObject({
      ok: false,
      reason: expect.stringContaining("body.trace_id"),
    });
  });
});

function decodeOdd(type: StreamEvent["type"], odd: object) {
  const event = vectors.valid.find((vector) => vector.event.type === type)?.event;
  return decodeEntry(encodeEvent({ ...event, body: { ...event?.body, ...odd } } as StreamEvent));
}
