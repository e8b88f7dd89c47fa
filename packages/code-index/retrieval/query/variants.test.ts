import { expect, test } from "vitest";
import { variantsOf } from "./variants.ts";

test.for([
  ["samples", "sample"],
  ["appended", "append"],
  ["append", "appended"],
  ["scraped", "scrape"],
  ["queries", "query"],
  ["running", "run"],
  ["classes", "class"],
  ["resharding", "reshard"],
  ["handler", "handle"],
] as const)("%s may be written %s", ([word, form]) => {
  expect(variantsOf(word)).toContain(form);
});

test.for(["if", "get", "class", "status", "utf8", "größe", "scrape_loop"])("%s has no wrong stem", (word) => {
  const stems = variantsOf(word).filter((form) => form.length < word.length);
  expect(stems).toEqual([]);
});

test("a word is none of its own variants, and they are few", () => {
  for (const word of ["samples", "appended", "series", "process", "parsing"]) {
    expect(variantsOf(word)).not.toContain(word);
    expect(variantsOf(word).length).toBeLessThanOrEqual(8);
  }
});
