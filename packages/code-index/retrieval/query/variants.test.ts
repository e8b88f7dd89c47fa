import { expect, test } from "vitest";
import { listVariants } from "./variants.ts";

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
  expect(listVariants(word)).toContain(form);
});

test.for(["if", "get", "class", "status", "utf8", "größe", "scrape_loop"])("%s has no wrong stem", (word) => {
  const stems = listVariants(word).filter((form) => form.length < word.length);
  expect(stems).toEqual([]);
});

test("a word is none of its own variants, and they are few", () => {
  for (const word of ["samples", "appended", "series", "process", "parsing"]) {
    expect(listVariants(word)).not.toContain(word);
    expect(listVariants(word).length).toBeLessThanOrEqual(8);
  }
});
