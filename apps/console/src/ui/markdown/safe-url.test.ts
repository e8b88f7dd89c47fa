import { expect, test } from "vitest";
import { safeUrl } from "./safe-url.ts";

test.each([
  ["https://example.com/a?b=c", "href", true],
  ["HTTP://example.com", "href", true],
  ["javascript:alert(1)", "href", false],
  ["  javascript:alert(1)", "href", false],
  ["java\nscript:alert(1)", "href", false],
  ["//example.com", "href", false],
  ["/projects", "href", false],
  ["data:image/png;base64,AAAA", "href", false],
  ["data:image/png;base64,AAAA", "src", true],
  ["data:image/svg+xml;base64,AAAA", "src", false],
  ["data:text/html;base64,AAAA", "src", false],
  ["vbscript:x", "src", false],
])("%j as %s", (url, key, isAllowed) => {
  expect(safeUrl(url, key)).toBe(isAllowed ? url : undefined);
});
