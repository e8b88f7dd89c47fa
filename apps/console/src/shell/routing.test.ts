import { describe, expect, it } from "vitest";
import { parseSearch, safeTarget, stringifySearch } from "./routing.ts";

describe("the search part of an address", () => {
  it("is text and stays text, whatever it looks like", () => {
    expect(parseSearch("?q=123&repo=acme%2Fshop&lang=true")).toEqual({ q: "123", repo: "acme/shop", lang: "true" });
    expect(parseSearch(stringifySearch({ q: '{"a": 1} & more+', lang: undefined }))).toEqual({ q: '{"a": 1} & more+' });
  });

  it("leaves out what is empty", () => {
    expect(stringifySearch({ q: "", repo: undefined })).toBe("");
  });
});

describe("where a login leads", () => {
  it("is the page that was asked for, with its search and lines", () => {
    expect(safeTarget("/code/acme/shop?path=a.ts#L10-L20")).toBe("/code/acme/shop?path=a.ts#L10-L20");
    expect(safeTarget("/logins")).toBe("/logins");
  });

  it.each([
    undefined,
    "",
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "/login",
    "/login?next=/",
    "/login/verify",
  ])("is the overview for %j", (target) => {
    expect(safeTarget(target)).toBe("/");
  });
});
