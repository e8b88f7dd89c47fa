import { expect, test } from "vitest";
import { createRecentlyUsed } from "./recently-used.ts";

test("what was not asked for longest is forgotten when there is no room", () => {
  const memory = createRecentlyUsed<string>(100);
  memory.set("one", "1", 40);
  memory.set("two", "2", 40);
  expect(memory.get("one")).toBe("1");
  memory.set("three", "3", 40);
  expect([memory.get("one"), memory.get("two"), memory.get("three")]).toEqual(["1", undefined, "3"]);
  expect(memory.bytes()).toBe(80);
});

test("a value that grew counts once, and one too large for the whole room is not kept", () => {
  const memory = createRecentlyUsed<string>(100);
  memory.set("one", "1", 40);
  memory.set("one", "11", 90);
  expect([memory.get("one"), memory.bytes()]).toEqual(["11", 90]);
  memory.set("large", "x", 101);
  expect([memory.get("large"), memory.get("one"), memory.bytes()]).toEqual([undefined, undefined, 0]);
});
