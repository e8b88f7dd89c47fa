import { expect, test } from "vitest";
import { toDiffRows, toPairs } from "./diff-rows.ts";

const PATCH = "@@ -3,4 +3,3 @@ function pause()\n same\n-old\r\n-gone\n+new\n last\n\\ No newline at end of file\n";

test("rows have the numbers of both versions, and side by side what replaced a line stands beside it", () => {
  const rows = toDiffRows(PATCH);
  expect(rows.map(({ kind, before, after, text }) => [kind, before, after, text])).toEqual([
    ["hunk", undefined, undefined, "@@ -3,4 +3,3 @@ function pause()"],
    ["same", 3, 3, "same"],
    ["deleted", 4, undefined, "old"],
    ["deleted", 5, undefined, "gone"],
    ["added", undefined, 4, "new"],
    ["same", 6, 5, "last"],
  ]);
  expect(rows.at(-1)?.isUnended).toBe(true);
  expect(toPairs(rows).map(({ left, right }) => [left?.text, right?.text])).toEqual([
    [rows[0]?.text, rows[0]?.text],
    ["same", "same"],
    ["old", "new"],
    ["gone", undefined],
    ["last", "last"],
  ]);
});
