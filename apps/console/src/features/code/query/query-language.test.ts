import { describe, expect, it } from "vitest";
import { completionAt, filtersIn, withoutFilter } from "./query-language.ts";

const filters = (text: string) => filtersIn(text).map(({ field, value, negated }) => `${negated ? "-" : ""}${field}=${value}`);

describe("the filters in a query's text", () => {
  it("are found in all their spellings, negated and quoted", () => {
    expect(filters('repo:acme/shop f:src/ -lang:css branch:main sym:Cart path:"my docs/"')).toEqual([
      "repo=acme/shop",
      "path=src/",
      "-lang=css",
      "ref=main",
      "symbol=Cart",
      "path=my docs/",
    ]);
  });

  it.each(["http://x.dev", "file:///tmp/x", "std::path::new", "path::new", "foo:bar", "a-repo:x y:", "repo:", 'path:"open'])(
    "are not seen in %s, which is text",
    (text) => {
      expect(filters(text)).toEqual([]);
    },
  );

  it("are taken out without leaving a hole", () => {
    const text = "retry lang:go -path:vendor/ backoff";
    expect(filtersIn(text).map((filter) => withoutFilter(text, filter))).toEqual(["retry -path:vendor/ backoff", "retry lang:go backoff"]);
    expect(withoutFilter("lang:go", { start: 0, end: 7 })).toBe("");
  });
});

describe("completion", () => {
  const known = { repo: ["acme/shop", "shop/tools", "acme/web"], lang: ["go", "javascript"] };
  const texts = (text: string, caret = text.length) => completionAt(text, caret, known)?.options.map((option) => option.text);

  it("knows the filters by their beginning, and leaves short words alone", () => {
    expect(texts("retry re")).toEqual(["repo:", "ref:"]);
    expect(texts("-la")).toEqual(["-lang:"]);
    expect(texts("r")).toBeUndefined();
    expect(texts("retry ")).toBeUndefined();
  });

  it("knows the values, those that begin so first, until one stands there whole", () => {
    expect(texts("repo:sho")).toEqual(["repo:shop/tools ", "repo:acme/shop "]);
    expect(texts("-lang:")).toEqual(["-lang:go ", "-lang:javascript "]);
    expect(texts("lang:go")).toBeUndefined();
    expect(texts("path:src")).toBeUndefined();
  });

  it("replaces the word at the caret alone", () => {
    expect(completionAt("lang:ja retry", 7, known)).toMatchObject({ start: 0, end: 7 });
  });
});
