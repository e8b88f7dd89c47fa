import { describe, expect, it } from "vitest";
import { TRACE_KEYS, findAction } from "./trace-keys.ts";

const press = (key: string, modifiers: { readonly ctrlKey?: boolean; readonly metaKey?: boolean; readonly altKey?: boolean } = {}) =>
  findAction({ key, ctrlKey: false, metaKey: false, altKey: false, ...modifiers });

describe("the keys of a trace's page", () => {
  it("mean one thing each", () => {
    const keys = TRACE_KEYS.flatMap((entry) => entry.keys.map(String));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("tell upper from lower case, and take = for +", () => {
    expect([press("f"), press("F"), press("="), press("?")]).toEqual(["next-failure", "previous-failure", "zoom-in", "help"]);
  });

  it("leave the browser's and the tree's own alone", () => {
    expect([
      press("f", { ctrlKey: true }),
      press("0", { metaKey: true }),
      press("c", { altKey: true }),
      press("Enter"),
      press("←"),
      press("x"),
    ]).toEqual(Array.from({ length: 6 }));
  });
});
