import { expect, test } from "vitest";
import { cutComment, tellApart, toStored, toTyped } from "./comment-text.ts";

const [ANN, ANNA, OTHER] = [1, 2, 3].map((last) => `0192f0c1-2345-7abc-8def-00000000000${last}`) as [string, string, string];
const people = tellApart([
  { id: ANN, name: "Ann" },
  { id: ANNA, name: "Ann Lee (QA)" },
  { id: OTHER, name: "Ann" },
]);

test("names after an @ become ids, and names again to be edited", () => {
  const typed = "@Ann, see @Ann Lee (QA) and @Ann (2). Not @Anna, nor a@b.example";
  const stored = `@${ANN}, see @${ANNA} and @${OTHER}. Not @Anna, nor a@b.example`;
  expect(toStored(typed, people)).toBe(stored);
  expect(toTyped(stored, people)).toBe(typed);
  expect([toStored(typed, []), toTyped(stored, [])]).toEqual([typed, stored]);
});

test("a comment is text, links of http and https, and mentions", () => {
  expect(cutComment(`See (https://example.org/a?b=1), @${ANN}: Http://x.example.`)).toEqual([
    { is: "text", text: "See (" },
    { is: "link", text: "https://example.org/a?b=1" },
    { is: "text", text: "), " },
    { is: "mention", text: ANN },
    { is: "text", text: ": " },
    { is: "link", text: "Http://x.example" },
    { is: "text", text: "." },
  ]);
});

test("nothing else is a link or a mention", () => {
  for (const text of ["javascript:alert(1)", "<a href='//x'>x</a>", "data:text/html,x", `@${ANN}0`, "@Ann", "ftp://x.example"]) {
    expect(cutComment(text)).toEqual([{ is: "text", text }]);
  }
});
