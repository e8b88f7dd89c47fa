import { expect, test } from "vitest";
import { nearestFirst } from "./repository-errors.ts";

test.for<readonly [string, string]>([
  ["acme/shp", "acme/shop"],
  ["shop", "acme/shop"],
  ["Group/Project", "group/sub/project"],
  ["acme/too1s", "acme/tools"],
])("of many names the nearest to %s is %s", ([asked, nearest]) => {
  const many = Array.from({ length: 30 }, (_, at) => `acme/a-${at}`);
  expect(nearestFirst([...many, "acme/tools", "acme/shop", "group/sub/project"], asked)[0]).toBe(nearest);
});

test("what is like nothing leaves the order", () => {
  expect(nearestFirst(["a", "b", "c"], "xyz")).toEqual(["a", "b", "c"]);
  expect(nearestFirst([], "")).toEqual([]);
});
