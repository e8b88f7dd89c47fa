import { expect, test } from "vitest";
import { createLog } from "./log.ts";
import { createRareWarning } from "./rare-warning.ts";

test("a warning is written once a minute at most, and the next one says how many were left out", () => {
  const lines: unknown[] = [];
  let now = 0;
  const log = createLog({ name: "shop", level: "info", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const warn = createRareWarning({ log, message: "refused", clock: { now: () => new Date(now) } });
  for (now of [0, 1, 59_999, 60_000, 60_001, 120_000, 200_000]) {
    warn({ at: now });
  }
  expect(lines).toEqual([
    expect.objectContaining({ level: "warn", msg: "refused", at: 0 }),
    expect.objectContaining({ at: 60_000, leftOut: 2 }),
    expect.objectContaining({ at: 120_000, leftOut: 1 }),
    expect.objectContaining({ at: 200_000 }),
  ]);
  expect(lines.at(-1)).not.toHaveProperty("leftOut");
});
