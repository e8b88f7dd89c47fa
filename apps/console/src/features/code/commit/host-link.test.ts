import { expect, test } from "vitest";
import { toHostLink } from "./host-link.ts";

test.for([
  ["https://github.com/acme/shop.git", "https://github.com/acme/shop/commit/abc1"],
  ["git@gitlab.example.org:acme/web/shop.git", "https://gitlab.example.org/acme/web/shop/-/commit/abc1"],
  ["ssh://git@codeberg.org/acme/shop", "https://codeberg.org/acme/shop/commit/abc1"],
  ["https://bitbucket.org/acme/shop/", "https://bitbucket.org/acme/shop/commits/abc1"],
  ["file:///srv/shop.git", undefined],
  ["https://user:secret@github.com/acme/shop", undefined],
] as const)("%s", ([cloneUrl, link]) => {
  expect(toHostLink(cloneUrl, "abc1")).toBe(link);
});
