import { parseTraceQuery } from "@sightline/observability/contract";
import { expect, test } from "vitest";
import { failuresByError } from "./failures.ts";

const failed = (name: string, error: string | null, started_at: string) => ({ id: "", name, error, started_at });

test("failures of the same name and message are one, as new as its newest, and lead to the list that finds them", () => {
  const failures = failuresByError([
    failed("triage", 'No "order": 7', "2026-11-22T10:02:00Z"),
    failed("triage", null, "2026-11-22T10:01:00Z"),
    failed("triage", 'No "order": 7', "2026-11-22T10:00:00Z"),
  ]);
  expect(failures.map(({ count, at }) => [count, at])).toEqual([
    [2, "2026-11-22T10:02:00Z"],
    [1, "2026-11-22T10:01:00Z"],
  ]);
  expect(parseTraceQuery(failures[0]?.q ?? "")).toMatchObject({
    errors: [],
    terms: [{ field: "status" }, { field: "name" }, { field: "error", values: [{ text: 'No "order": 7', isPattern: false }] }],
  });
});

test("a message that is too long for a query is asked for by its beginning, never by half a character", () => {
  const [failure] = failuresByError([failed("triage", "😀".repeat(3_000), "2026-11-22T10:02:00Z")]);
  expect(failure?.q.length).toBeLessThan(500);
  expect(() => encodeURIComponent(failure?.q ?? "")).not.toThrow();
});
