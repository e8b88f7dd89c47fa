import { expect, it } from "vitest";
import { textBlocks } from "./text-blocks.ts";

it("splits a text at its fences", () => {
  expect(textBlocks("Look:\n\n```ts\nconst a = 1;\n\n# no heading\n```\nDone.")).toEqual([
    { kind: "text", text: "Look:", language: undefined },
    { kind: "code", text: "const a = 1;\n\n# no heading", language: "ts" },
    { kind: "text", text: "Done.", language: undefined },
  ]);
});

it("takes code that never ends for code, and a longer fence for one with fences inside", () => {
  expect(textBlocks("```\ncut off").map(({ kind }) => kind)).toEqual(["code"]);
  expect(textBlocks("````md\n```js\n1\n```\n````")).toEqual([{ kind: "code", text: "```js\n1\n```", language: "md" }]);
});

it("leaves everything else as it was written", () => {
  const text = "<b>bold</b> & **more** `inline`";
  expect(textBlocks(text)).toEqual([{ kind: "text", text, language: undefined }]);
  expect(textBlocks("")).toEqual([]);
});
