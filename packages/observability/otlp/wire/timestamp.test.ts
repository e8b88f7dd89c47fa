import { expect, test } from "vitest";
import { toTimestamp } from "./timestamp.ts";

test.each([
  [1n, "1970-01-01T00:00:00.000000Z"],
  [1_795_255_200_123_456_789n, "2026-11-21T10:00:00.123456Z"],
  [2n ** 64n - 1n, "2554-07-21T23:34:33.709551Z"],
])("%s nanoseconds are %s", (given, text) => {
  expect(toTimestamp(given)).toBe(text);
});
