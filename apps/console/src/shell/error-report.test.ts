import { expect, test } from "vitest";
import { writeReport } from "./error-report.ts";

test("the report of a fault says where it was and what threw, and nothing of what was typed", () => {
  const error = new TypeError("x is undefined");
  error.stack = "TypeError: x is undefined\n    at Page (page.js:1:2)";
  expect(writeReport(error, "https://sightline.example/code?q=secret#L1")).toBe(
    "Page: https://sightline.example/code\nTypeError: x is undefined\n    at Page (page.js:1:2)",
  );
});

test("what is no error, or of a browser whose stacks don't begin with the words, is told too", () => {
  expect(writeReport("nothing", "https://sightline.example/")).toBe("Page: https://sightline.example/\nnothing");
  const error = new Error("broken");
  error.stack = "Page@page.js:1:2";
  expect(writeReport(error, "https://sightline.example/")).toBe("Page: https://sightline.example/\nError: broken\nPage@page.js:1:2");
});
