import { expect, test } from "vitest";
import { formatDuration } from "#ui/words/format.ts";
import { toChange, endedEarly } from "./change.ts";

test.each([
  [100, 150, "+50 ms", "+50%", "more"],
  [2_000, 500, "−1.50 s", "−75%", "less"],
  [0, 20, "+20 ms", "", "more"],
  [5, 5, "the same", "", "none"],
])("from %d ms to %d ms it is %s %s", (a, b, text, share, tone) => {
  expect(toChange(a, b, formatDuration)).toEqual({ text, share, tone });
});

test("nothing is said of what is not known", () => {
  expect([toChange(null, 1, String), toChange(1, null, String)]).toEqual([null, null]);
});

test("runs that did not come to their end are not compared, and it says why", () => {
  expect(endedEarly({ status: "success", steps: 9 }, { status: "success", steps: 3 })).toBeUndefined();
  expect(endedEarly({ status: "success", steps: 9 }, { status: "failure", steps: 1 })).toBe(
    "Ended early, not comparable: B failed after 1 step.",
  );
  expect(endedEarly({ status: "abandoned", steps: 2 }, { status: "interrupted", steps: 4 })).toBe(
    "Ended early, not comparable: A was abandoned after 2 steps, and B is waiting to be resumed after 4 steps.",
  );
});
