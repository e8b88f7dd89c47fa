import { parseExactly } from "@sightline/foundation/exact-json";
import { v7 as uuidv7 } from "uuid";
import { describe, expect, test } from "vitest";
import { checksSchema, traceSchema, type Json } from "#contract.ts";
import { evaluateChecks } from "./evaluate-checks.ts";

const ID = "019b0000-0000-7000-8000-000000000001";
const AT = "2026-11-21T10:00:00.000Z";
const NUMBERS = Object.fromEntries(
  ["time_to_first_token_ms", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "reported_cost", "output_tokens"].map(
    (name) => [name, null],
  ),
);
const PART = {
  id: ID,
  status: "success",
  started_at: AT,
  ended_at: AT,
  error: null,
  input: null,
  output: null,
  attributes: {},
  ...NUMBERS,
};
const TRACE = { ...PART, name: "agent", project_id: ID, waiting_ms: 0, observations: 3, failures: 0, lost_events: 0, truncated: false };
const LABELS = { environment: null, release: null, version: null, namespace: null, tags: [], added_tags: [] };
const IDS = {
  ...LABELS,
  purpose: "live",
  thread_id: null,
  session_id: null,
  user_id: null,
  segments: [],
  graph: null,
  observation_list: [],
};
const WHOLE = { ...TRACE, ...IDS, duration_ms: 900, input_tokens: 10, cost: 0.5 };

function step(name: string, kind = "tool", fields: object = {}) {
  return {
    ...PART,
    parent_id: null,
    kind,
    name,
    duration_ms: 1,
    seq: 1,
    model: null,
    prompt: null,
    input_tokens: null,
    cost: null,
    code: null,
    reasoning: null,
    ...fields,
  };
}

type Given = { readonly output?: Json; readonly trace?: object; readonly error?: string };

function passed(check: object, { output = null, trace, error }: Given): boolean | null | undefined {
  const given = trace === undefined ? null : traceSchema.parse({ ...WHOLE, ...trace });
  return evaluateChecks(checksSchema.parse([check]), { output, error: error ?? null, trace: given })[0]?.passed;
}

describe("a check of the output", () => {
  test.each<[object, Json, boolean]>([
    [{ type: "equals", path: "/a/0", value: { b: 1, c: [2] } }, { a: [{ c: [2], b: 1 }] }, true],
    [{ type: "equals", path: "/a~1b/~0", value: 1 }, { "a/b": { "~": 1 } }, true],
    [{ type: "equals", path: "/a/01", value: 1 }, { a: [0, 1] }, false],
    [{ type: "equals", path: "/toString", value: null }, {}, false],
    [{ type: "equals", value: [1, 2] }, [2, 1], false],
    [{ type: "equals", value: {} }, [], false],
    [{ type: "contains", value: "refund" }, "the refund is on its way", true],
    [{ type: "contains", value: { id: 2 } }, [{ id: 1 }, { id: 2 }], true],
    [{ type: "contains", value: 1 }, { a: 1 }, false],
    [{ type: "matches", pattern: "^ord-[0-9]+$" }, "ord-12", true],
    [{ type: "matches", path: "/n", pattern: "^12$" }, { n: 12 }, true],
    [{ type: "schema", schema: { type: "object", required: ["id"] } }, {}, false],
  ])("%j of %j is %s", (check, output, expected) => {
    expect(passed(check, { output })).toBe(expected);
  });

  test.each<[object, string, boolean]>([
    [{ type: "equals", value: [1.1] }, "[1.10]", true],
    [{ type: "equals", value: [1] }, "[1.0]", true],
    [{ type: "equals", value: 1.1 }, '"1.10"', false],
    [{ type: "equals", value: parseExactly("9007199254740993") }, "9007199254740992", false],
    [{ type: "contains", value: 1.5 }, "[1.50]", true],
    [{ type: "matches", path: "/n", pattern: "^1[.]10$" }, '{"n":1.10}', true],
    [{ type: "schema", schema: { properties: { n: { type: "integer", maximum: 1 } } } }, '{"n":1.0}', true],
    [{ type: "schema", schema: parseExactly('{"properties":{"value":{"minimum":1.10}}}') }, '{"value":1.50}', true],
  ])("%j of %s, as it was written, is %s", (check, output, expected) => {
    expect(passed(check, { output: parseExactly(output) as Json })).toBe(expected);
  });

  test("takes linear time, whatever the pattern", () => {
    expect(passed({ type: "matches", pattern: "^(a+)+$" }, { output: `${"a".repeat(50_000)}b` })).toBe(false);
  });
});

describe("a check of the way", () => {
  const calls = { observation_list: [step("find"), step("refund"), step("find"), step("other", "node")] };
  const graph = { graph: { declared: null, taken: [{ from: "verify", to: "refund", via: "conditional", count: 1 }] } };
  test.each<[object, object, boolean | null]>([
    [{ type: "tool", tool: "refund" }, calls, true],
    [{ type: "tool", tool: "other" }, calls, false],
    [{ type: "tool", tool: "find", at_most: 1 }, calls, false],
    [{ type: "tool", tool: "cancel", at_least: 0, at_most: 0 }, calls, true],
    [{ type: "tool", tool: "find", before: "refund" }, calls, true],
    [{ type: "tool", tool: "refund", before: "find" }, calls, false],
    [{ type: "edge", from: "verify", to: "refund" }, graph, true],
    [{ type: "edge", from: "verify", to: "refund", taken: false }, graph, false],
    [{ type: "edge", from: "verify", to: "ask", taken: false }, { ...graph, truncated: true }, null],
    [{ type: "tool", tool: "cancel", at_least: 0, at_most: 0 }, { ...calls, lost_events: 1 }, null],
    [{ type: "limit", of: "tokens", at_most: 10 }, {}, true],
    [{ type: "limit", of: "cost", at_most: 0.4 }, {}, false],
    [{ type: "limit", of: "duration_ms", at_most: 1 }, { duration_ms: null }, null],
    [{ type: "limit", of: "steps", at_most: 3 }, {}, true],
  ])("%j", (check, given, expected) => {
    expect(passed(check, { trace: given })).toBe(expected);
  });

  const call = (input: object) => step("refund", "tool", { input });
  const refunds = { observation_list: [call({ order: 42, note: "late" }), call({ order: 43, note: "[masked]" })] };
  const cut = { truncated: true, characters: 9, preview: "", payload_id: ID, part: "parameters" };
  test.each<[object, object, boolean | null]>([
    [{ with: { type: "equals", path: "/order", value: 42 }, at_most: 1 }, refunds, true],
    [{ with: { type: "equals", path: "/order", value: 44 } }, refunds, false],
    [{ with: { type: "equals", path: "/customer", value: 44 } }, refunds, false],
    [{ with: { type: "schema", schema: { properties: { order: { minimum: 42 } } } }, at_least: 2 }, refunds, null],
    [{ with: { type: "schema", path: "/order", schema: { minimum: 42 } }, at_least: 2 }, refunds, true],
    [{ with: { type: "contains", path: "/note", value: "late" }, at_least: 0, at_most: 0 }, refunds, null],
    [{ with: { type: "matches", path: "/order", pattern: "." } }, { observation_list: [call(cut)] }, null],
  ])("a tool that was called with arguments, %j", (check, trace, expected) => {
    expect(passed({ type: "tool", tool: "refund", ...check }, { trace })).toBe(expected);
  });

  function ranGraph(given: object, states: readonly object[], result: object) {
    const [outer, inner] = [uuidv7(), uuidv7()];
    const nodes = states.map((input) => step("plan", "node", { parent_id: outer, input }));
    const nested = step("inner", "graph", { id: inner, parent_id: uuidv7(), input: { balance: 99 } });
    return { observation_list: [step("agent", "graph", { id: outer, input: given, output: result }), ...nodes, nested] };
  }
  test.each<[string, object, boolean | null]>([
    ["/balance", ranGraph({ balance: 1 }, [{ balance: 1 }, { balance: 1 }], { balance: 1 }), false],
    ["/balance", ranGraph({ balance: 1 }, [{ balance: 1 }, { balance: 2 }], { balance: 1 }), true],
    ["/balance", ranGraph({}, [{}, {}], { balance: 2 }), true],
    ["/balance", ranGraph({ balance: 1 }, [{ other: 1 }], { other: 2 }), false],
    ["/cart/0/price", ranGraph({}, [{ cart: [{ price: 1 }] }], { cart: [{ price: 2 }] }), true],
    ["/cart", ranGraph({}, [{ cart: [cut] }], { cart: [] }), null],
    ["/balance", ranGraph({}, [{ cart: [cut], balance: 1 }], { balance: 1 }), false],
    ["/balance", {}, null],
  ])("%s of a state changed, %#", (path, trace, expected) => {
    expect(passed({ type: "state", path }, { trace })).toBe(expected);
    expect(passed({ type: "state", path, changed: false }, { trace })).toBe(expected === null ? null : !expected);
  });

  test("can't be told without the trace, and a run that failed does not succeed", () => {
    expect(passed({ type: "tool", tool: "find" }, {})).toBeNull();
    expect(passed({ type: "succeeds" }, { error: "ValueError" })).toBe(false);
  });
});
