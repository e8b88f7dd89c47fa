import { describe, expect, test } from "vitest";
import { readMessage, withoutIds } from "./read-message.ts";

describe("of an error's message is compared what does not vary", () => {
  test.each([
    ["ValueError: order 42 was not found", "ValueError", "order <n> was not found"],
    ["app.errors.NotFound: order ord_8f3k2 was not found", "NotFound", "order ord_<n> was not found"],
    ["NotFound: order 0c6a8c1e-5b1f-4d0a-9a54-2f1f4c8f7a10 of cust-17", "NotFound", "order <n> of cust-<n>"],
    ["Error: can't reach https://api.example.org/v1/orders?id=42 in 3.5s", "Error", "can't reach <url> in <n>"],
    ["Error: no user erika@example.org since 2026-11-21T10:00:00.123Z", "Error", "no user <email> since <time>"],
    [
      "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/run 7/x.json'",
      "FileNotFoundError",
      "[Errno <n>] No such file or directory: <text>",
    ],
    ["Error: ENOENT: open /var/data/run-7/x.json", "Error", "ENOENT: open <path>"],
    ["Error: status \"late\" of 'Erika O'Neill' is unknown", "Error", "status <text> of <text> is unknown"],
    ["Error: out of range: [1, 2, 30]", "Error", "out of range: <values>"],
    ["Error: out of range: [7]", "Error", "out of range: <values>"],
    ['Error: bad input {"order": 42, "items": [{"sku": "a", "gift": true}]}', "Error", "bad input <values>"],
    ["Error: 10.0.7.1:8080 refused (7): src/a/x7.py", "Error", "<n> refused (<n>): <path>"],
    ["Error: 142 rows were lost", "Error", "<n> rows were lost"],
    ["TimeoutError", "TimeoutError", ""],
    ["it went wrong after 1,234.5 ms", null, "it went wrong after <n> ms"],
    ["", null, ""],
  ])("%s", (error, errorClass, message) => {
    expect(readMessage(error)).toEqual({ errorClass, message });
  });
});

test.each([
  ["the number of a status", "APIError: Error code: 429 - {'id': 'x'}", "APIError: Error code: 500 - {'id': 'x'}"],
  ["a number that the message begins with", 'Error: 429 {"type":"error"}', 'Error: 529 {"type":"error"}'],
  ["what a provider calls its error", 'Error: {"type": "rate_limit_error"}', 'Error: {"type": "overloaded_error"}'],
  ["a key that the code names", "KeyError: 'amount'", "KeyError: 'currency'"],
  [
    "a property that the code names",
    "TypeError: Cannot read properties of undefined (reading 'a')",
    "TypeError: Cannot read properties of undefined (reading 'b')",
  ],
])("%s tells causes apart", (_title, one, other) => {
  expect(readMessage(one)).not.toEqual(readMessage(other));
});

test("a name with an id in it is one name, and its version stays", () => {
  expect([withoutIds("order-20261121"), withoutIds("run 0c6a8c1e-5b1f-4d0a-9a54-2f1f4c8f7a10"), withoutIds("lookup_v2")]).toEqual([
    "order-<n>",
    "run <n>",
    "lookup_v2",
  ]);
});

test("a hostile message takes no time", () => {
  const started = performance.now();
  for (const part of ["'", '"', "a'", "{[", "/a", "1,", "<n> ", "a_1", "ab@", "a://", "\\", "0x", "deadbeef1 "]) {
    readMessage(`Error: ${part.repeat(5_000)}`);
  }
  expect(performance.now() - started).toBeLessThan(1_000);
});
