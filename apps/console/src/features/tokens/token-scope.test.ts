import { expect, test } from "vitest";
import { formatScope } from "./token-scope.ts";

const repositories = ["one", "two", "three", "four"].map((name) => ({ id: name, full_name: `acme/${name}` }));

test("a token without a list opens every repository", () => {
  expect(formatScope({ repositories: null }, repositories)).toBe("all repositories");
});

test("a few repositories are named, more are counted", () => {
  expect(formatScope({ repositories: ["two", "one"] }, repositories)).toBe("acme/two, acme/one");
  expect(formatScope({ repositories: ["one", "two", "three", "four"] }, repositories)).toBe("acme/one, acme/two, acme/three and 1 more");
});

test("a token whose repositories were all deleted never reads as one that opens everything", () => {
  expect(formatScope({ repositories: ["gone"] }, repositories)).toBe("none: what it opened was deleted");
  expect(formatScope({ repositories: ["one", "gone"] }, repositories)).toBe("acme/one");
});

test("repositories that are not loaded yet are counted", () => {
  expect(formatScope({ repositories: ["one"] }, undefined)).toBe("1 repository");
});
