import { readFileSync } from "node:fs";
import { Annotation, START } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { asCount } from "./capture/loose-values.ts";
import { initializeRedisPublisher, metricsText, observe, score, trace, traceTool } from "./index.ts";
import { createTracedGraph } from "./langgraph.ts";
import { readSettings } from "./settings/settings.ts";
import { recordEachTest } from "#testing/recording.ts";
import { ofType, PROJECT_ID } from "#testing/stream.ts";

type Body = Readonly<Record<string, unknown>>;
type Value = { readonly name: string; readonly value: unknown; readonly kept: unknown };
type Call = {
  readonly name: string;
  readonly operation: Operation;
  readonly options: Body;
  readonly event: Body | null;
  left_out: string[];
};
type Operation = "trace" | "observe" | "tool" | "score";
type Vectors = { readonly [Kind in "texts" | "numbers" | "counts"]: readonly Value[] } & { readonly calls: readonly Call[] };

const vectors = JSON.parse(readFileSync(new URL("../../observability/events/odd-values-vectors.json", import.meta.url), "utf8")) as Vectors;
const { options, recorded } = recordEachTest();
const warnings: string[] = [];

/** What an application without types hands over. */
const call: Readonly<Record<Operation, (given: never) => unknown>> = {
  trace: (given) => trace(given, () => 0),
  observe: (given) => observe(given, () => 0),
  tool: (given) => traceTool(given, () => 0),
  score: (given) => trace({ name: "around" }, () => score(given)),
};
const TYPES = { trace: "trace.start", observe: "observation.start", tool: "observation.start", score: "score" } as const;

async function listen(): Promise<void> {
  warnings.length = 0;
  await initializeRedisPublisher({ ...options(), logger: { warn: (text) => warnings.push(text) } });
}

async function lastOf(type: string): Promise<Body> {
  return ofType((await recorded()).events, type).at(-1) ?? {};
}

const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
const camelKeys = (given: Body) => Object.fromEntries(Object.entries(given).map(([key, value]) => [camelCase(key), value])) as never;
const sorted = (names: readonly string[]) => names.toSorted((one, other) => one.localeCompare(other));
const fieldsNamed = () => sorted([...new Set(warnings.map((text) => /: (\w+) /.exec(text)?.[1] ?? text))]);

describe("A field that takes a text, given", () => {
  it.each(vectors.texts)("$name", async ({ value, kept }) => {
    await listen();
    expect(trace({ name: "t", userId: value as string }, () => 5)).toBe(5);
    expect((await lastOf("trace.start"))["user_id"]).toBe(kept ?? undefined);
    expect(fieldsNamed()).toEqual(kept === null && value !== null ? ["userId"] : []);
  });
});

describe("The value of a score, given", () => {
  it.each(vectors.numbers)("$name", async ({ value, kept }) => {
    await listen();
    const isRecorded = trace({ name: "around" }, () => score({ name: "helpfulness", value: value as number }));
    expect(isRecorded).toBe(kept !== null);
    expect((await lastOf("score"))["value"]).toBe(kept ?? undefined);
    expect(fieldsNamed()).toEqual(kept === null ? ["value"] : []);
  });
});

describe("A number of tokens, given", () => {
  it.each(vectors.counts)("$name", ({ value, kept }) => {
    expect(asCount(value)).toBe(kept ?? undefined);
  });
});

describe("A call with", () => {
  it.each(vectors.calls)("$name", async ({ operation, options: given, event, left_out: leftOut }) => {
    await listen();
    call[operation](camelKeys(given));
    const body = await lastOf(TYPES[operation]);
    const fields = Object.keys(event ?? body);
    expect(fields.map((field) => [field, body[field] ?? null])).toEqual(Object.entries(event ?? {}));
    expect(fieldsNamed()).toEqual(sorted(leftOut.map(camelCase)));
  });
});

class Decimal {
  toJSON() {
    return "0.9";
  }
}
class Customer {
  id = 9;
}
const ofClass = (name: string): never => Object.create({ constructor: { name } }) as never;
const refuse = (): never => {
  throw new Error("s3cret");
};
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

describe("A field that takes a text, given what only this language has", () => {
  it.each([
    ["a big integer", 12_345_678_901_234_567_890n, "12345678901234567890"],
    ["a date", new Date("2026-11-21T10:00:01Z"), "2026-11-21T10:00:01.000Z"],
    ["an address", new URL("https://x.test/u"), "https://x.test/u"],
    ["a class that is a text in JSON", new Decimal(), "0.9"],
    // oxlint-disable-next-line no-new-wrappers, unicorn/new-for-builtins -- Old libraries make them.
    ["a boxed number", new Number(7), "7"],
    ["bytes of a text", Buffer.from("u-9"), "u-9"],
  ])("keeps %s", async (_what, value, text) => {
    await listen();
    trace({ name: "t", userId: value as never, tags: value as never }, () => 0);
    expect(await lastOf("trace.start")).toMatchObject({ user_id: text, tags: [text] });
    expect(warnings).toEqual([]);
  });

  it.each([
    ["NaN", Number.NaN, "NaN"],
    ["infinity", Infinity, "Infinity"],
    ["an integer of a million bits", 2n ** 1_000_000n, "bigint"],
    ["a symbol", Symbol("x"), "symbol"],
    ["a function", refuse, "function"],
    ["an invalid date", new Date("never"), "Date"],
    ["an instance", new Customer(), "Customer"],
    ["a map", new Map([["a", 1]]), "Map"],
    ["bytes of no text", Buffer.from([0xff, 0xfe]), "Buffer"],
    ["a hundred megabytes", Buffer.alloc(100_000_000), "Buffer"],
    ["a promise", Promise.resolve("u-9"), "Promise"],
    ["a proxy that was revoked", revoked(), "object"],
    ["a class whose JSON throws", { toJSON: refuse }, "Object"],
    [
      "a class whose JSON is itself",
      new (class Own {
        toJSON() {
          return this;
        }
      })(),
      "Own",
    ],
  ])("leaves %s out and names it", async (_what, value, kind) => {
    await listen();
    const fields: object = { userId: value, tags: [value, "b"], version: "2", metadata: value, attributes: value };
    const started = process.cpuUsage();
    trace({ name: "t", ...fields }, () => 0);
    const { user, system } = process.cpuUsage(started);
    expect(user + system).toBeLessThan(200_000);
    expect(await lastOf("trace.start")).toMatchObject({ tags: ["b"], version: "2", attributes: { metadata: expect.anything() } });
    expect(warnings[0]).toBe(
      `[sightline] trace "t": userId is left out: it takes a text, a number, a date or an identifier, and was given ${kind}`,
    );
    expect(warnings.join("")).not.toContain("s3cret");
  });

  it("leaves out one field that can't be read", async () => {
    await listen();
    const given = Object.defineProperty({ name: "t", sessionId: 7, input: 1 }, "userId", { get: refuse });
    expect(trace(given as never, () => 5)).toBe(5);
    expect(await lastOf("trace.start")).toMatchObject({ name: "t", session_id: "7", input: 1 });
    expect(fieldsNamed()).toEqual(["userId"]);
  });

  it("keeps what can be read of attributes, and metadata beside them", async () => {
    await listen();
    const attributes = Object.defineProperty({ a: 1 }, "broken", { get: refuse, enumerable: true });
    trace({ name: "t", attributes, metadata: { team: 4 } }, () => 0);
    expect(await lastOf("trace.start")).toMatchObject({ attributes: { a: 1, broken: "[unreadable]", metadata: { team: 4 } } });
    expect(warnings).toEqual([]);
  });
});

describe("Tags", () => {
  function* generate() {
    for (let index = 0; ; index += 1) {
      yield index;
    }
  }
  it.each([
    ["a set", new Set(["a", 1]), ["a", "1"]],
    ["the keys of a map", new Map([["a", 1]]).keys(), ["a"]],
  ])("may be %s", async (_what, tags, kept) => {
    await listen();
    trace({ name: "t", tags: tags as Iterable<string> }, () => 0);
    expect((await lastOf("trace.start"))["tags"]).toEqual(kept);
    expect(warnings).toEqual([]);
  });

  it("without an end are cut, and named", async () => {
    await listen();
    trace({ name: "t", tags: generate() }, () => 0);
    expect((await lastOf("trace.start"))["tags"]).toHaveLength(50);
    expect(fieldsNamed()).toEqual(["tags"]);
  });
});

describe("The value of a score", () => {
  it.each([
    [12n, 12],
    [new Decimal() as never, 0.9],
    [Number.NaN, undefined],
    [Infinity, undefined],
    [new Date() as never, undefined],
  ])("%s is kept as %s", async (value, kept) => {
    await listen();
    expect(trace({ name: "around" }, () => score({ name: "helpfulness", value }))).toBe(kept !== undefined);
    expect((await lastOf("score"))["value"]).toBe(kept);
    expect(fieldsNamed()).toEqual(kept === undefined ? ["value"] : []);
  });

  it("outside of any trace is not recorded, which is told", async () => {
    await listen();
    expect(score({ name: "helpfulness", value: 1 })).toBe(false);
    expect(warnings).toEqual([
      '[sightline] score "helpfulness": traceId is needed, so nothing is recorded: it takes the UUID of a trace, by default the running one, and was given undefined',
    ]);
  });
});

describe("What is left out", () => {
  it("is said once for each operation, field and kind, with no secret and no end", async () => {
    await listen();
    const secret = "password=hunter2-Zq8";
    for (let index = 0; index < 1000; index += 1) {
      trace({ name: secret, userId: { [secret]: secret } as never }, () => 0);
    }
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).not.toContain("hunter2");
    for (let index = 0; index < 1000; index += 1) {
      trace({ name: "t", userId: ofClass(`Class${index}`) }, () => 0);
    }
    expect(warnings.length).toBeLessThan(300);
  });

  it("leaves the counters of what was dropped as they were", async () => {
    await listen();
    const before = metricsText().match(/studio_events_dropped_total\{.*/g);
    trace({ name: {} as never, userId: [] as never, tags: [{}] as never }, () => score({ name: "x", value: "much" }));
    expect(metricsText().match(/studio_events_dropped_total\{.*/g)).toEqual(before);
  });
});

describe("A graph", () => {
  const State = Annotation.Root({ answer: Annotation<string> });
  it.each([
    [undefined, "LangGraph"],
    [{}, "LangGraph"],
    [{ traceName: 7 }, "7"],
    [{ traceName: { is: "x" } }, "LangGraph"],
    [Object.defineProperty({}, "traceName", { get: refuse }), "LangGraph"],
  ])("with the options %s is traced as %s, with the texts of its identifiers", async (given, name) => {
    await listen();
    const graph = createTracedGraph(State, given as never)
      .addNode("answer_it", () => ({ answer: "cats" }))
      .addEdge(START, "answer_it")
      .compile();
    await graph.invoke({ answer: "" }, { configurable: { thread_id: 42 }, metadata: { user_id: 7n, session_id: { odd: true } } });
    const start = await lastOf("trace.start");
    expect(start).toMatchObject({ name, thread_id: "42", user_id: "7" });
    expect(start).not.toHaveProperty("session_id");
    expect(fieldsNamed()).toContain("sessionId");
  });
});

describe("Settings", () => {
  const read = (given: object) => readSettings({ redisUrl: "redis://h:1", projectId: PROJECT_ID, ...given }, {});

  it("may be texts, as from a file or a variable", () => {
    expect(read({ enabled: "false" })).toEqual({ kind: "disabled" });
    expect(
      read({ redisUrl: new URL("redis://h:1"), streamName: 7, captureReasoning: "no", maxStreamLength: "100", mask: null, logger: null }),
    ).toMatchObject({
      settings: { redisUrl: "redis://h:1", streamName: "7", captureReasoning: false, maxStreamLength: 100, mask: undefined },
    });
  });

  it("that can't be read are named", () => {
    const { reason } = read({ enabled: "perhaps", projectId: [], streamName: {}, maxBufferEvents: "many" }) as { reason: string };
    for (const name of ["enabled", "projectId", "streamName", "maxBufferEvents"]) {
      expect(reason).toContain(name);
    }
  });
});
