import { expect, test } from "vitest";
import { z } from "zod";
import { takenBy } from "./tool.ts";

const taken = takenBy({
  inputSchema: z.strictObject({
    query: z.string(),
    limit: z.int().max(50).default(10),
    all: z.boolean().optional(),
    kind: z.enum(["class", "method"]).optional(),
    cursor: z.string().min(3).optional(),
    checks: z.array(z.object({ type: z.string() })).optional(),
    names: z.array(z.string()).optional(),
    input: z.json().optional(),
  }),
});
const ask = (given: object) => taken.parse({ query: "q", ...given });

test.for<readonly [object, object]>([
  [{ limit: "5" }, { limit: 5 }],
  [{ all: "True" }, { all: true }],
  [
    { all: "false", max_tokens: "900" },
    { all: false, max_tokens: 900 },
  ],
  [{ query: "33" }, { query: "33" }],
  [{ query: "null" }, { query: "null" }],
  [{ checks: '[{"type":"succeeds"}]' }, { checks: [{ type: "succeeds" }] }],
  [{ checks: { type: "succeeds" } }, { checks: [{ type: "succeeds" }] }],
  [{ checks: '{"type":"succeeds"}' }, { checks: [{ type: "succeeds" }] }],
  [{ names: "a" }, { names: ["a"] }],
  [{ names: '["a","b"]' }, { names: ["a", "b"] }],
  [{ input: '{"a":1}' }, { input: '{"a":1}' }],
  [{ input: null }, { input: null }],
])("%j is taken for %j", ([given, meant]) => {
  expect(ask(given)).toMatchObject(meant);
});

test("what is null or empty was left out", () => {
  const nothing = { limit: null, all: "", kind: null, cursor: " ", checks: null, max_tokens: "" };
  expect(ask(nothing)).toEqual({ query: "q", limit: 10, max_tokens: 2_000 });
});

test.for([{ limit: "many" }, { limit: "1.5" }, { limit: "51" }, { all: "yes" }, { kind: "field" }, { query: null }, { checks: "none" }])(
  "%j is refused",
  (given) => {
    expect(taken.safeParse({ query: "q", ...given }).success).toBe(false);
  },
);
