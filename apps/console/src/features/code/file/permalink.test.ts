import { expect, test } from "vitest";
import { permalinkTo } from "./permalink.ts";

const page = {
  origin: "https://code.acme.dev",
  pathname: "/code/acme/shop",
  search: "?path=src%2Fcart.ts&ref=next&panel=outline&commit=old",
};

test("a permalink names path, branch, commit and lines, and nothing of how the page was looked at", () => {
  expect(permalinkTo(page, { commit: "c0ffee", target: { start: 3, end: 5 } })).toBe(
    "https://code.acme.dev/code/acme/shop?path=src%2Fcart.ts&ref=next&commit=c0ffee#L3-L5",
  );
  expect(permalinkTo({ ...page, search: "?path=a" }, { commit: "c0ffee", target: undefined })).toMatch(/\?path=a&commit=c0ffee$/);
});
