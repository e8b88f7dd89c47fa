import { describe, expect, it } from "vitest";
import { mailedToken } from "./mailed-token.ts";

describe("the token of a mailed link", () => {
  it("stands in the fragment, which no server sees", () => {
    expect(mailedToken("#token=abc_DEF-123")).toBe("abc_DEF-123");
  });

  it.each(["", "#", "#token=", "#abc"])("is none in %j", (hash) => {
    expect(mailedToken(hash)).toBeUndefined();
  });
});
