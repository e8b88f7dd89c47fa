import { expect, test } from "vitest";
import { parseQuery } from "#retrieval/query/parse-query.ts";
import { lineMatcher } from "./matched-lines.ts";

const CODE = "// Waits before the retry.\nconst pauseBeforeRetry = 3;\n\nretry(pause);\r\nstop();\n";

/** Each matched line by its number, with what is marked in it. */
function marked(query: string, text = CODE): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lineMatcher(parseQuery(query))(text).map(
    ({ index, ranges }) => `${index}: ${ranges.map(([from, to]) => lines[index]?.slice(from, to)).join(" ")}`,
  );
}

test("the words of a question are marked, also within names, and stop words are not", () => {
  expect(marked("how long is the pause of a retry")).toEqual(["0: retry", "1: pause Retry", "3: retry pause"]);
});

test("where the text itself stands, words elsewhere are not marked", () => {
  expect(marked("pauseBeforeRetry")).toEqual(["1: pauseBeforeRetry"]);
  expect(marked('"RETRY(pause)"')).toEqual(["3: retry(pause)"]);
  expect(marked("/ret+ry/")).toEqual(["0: retry", "1: Retry", "3: retry"]);
});

test("a name is marked where it stands in other letters", () => {
  expect(marked("größe", "const grundGröße = GRÖSSE;\n")).toEqual(["0: Größe"]);
});
