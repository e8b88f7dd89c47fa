import { expect, test } from "vitest";
import { composeChanges } from "./compose-changes.ts";

test("what both sides changed to the same content, however it came about, does not differ", () => {
  const changed = (position: number, path: string, blob: string) => ({ position, path, blob, old_path: null, status: "modified" as const });
  const changes = new Map([
    [1, [changed(1, "app.min.js", "same"), changed(1, "app.ts", "left")]],
    [2, [changed(2, "app.min.js", "same"), changed(2, "app.ts", "right")]],
  ]);
  const steps = [
    { position: 1, undo: true },
    { position: 2, undo: false },
  ];
  expect(composeChanges(steps, (position) => changes.get(position) ?? []).map(({ to }) => to)).toEqual(["app.ts"]);
});
