import { describe, expect, it } from "vitest";
import { outlineRows } from "./outline-rows.ts";

const symbol = (name: string, start: number, end: number) => ({ name, kind: "function", scope: "", start_line: start, end_line: end });
const SYMBOLS = [symbol("Cart", 1, 20), symbol("add", 2, 8), symbol("check", 4, 5), symbol("total", 10, 12), symbol("empty", 30, 31)];

describe("the outline of a file", () => {
  it("stands as deep as what holds it", () => {
    const rows = outlineRows(SYMBOLS, { filter: "", line: undefined });
    expect(rows.map(({ name, depth }) => `${depth} ${name}`)).toEqual(["0 Cart", "1 add", "2 check", "1 total", "0 empty"]);
  });

  it("knows the innermost definition of a line", () => {
    const at = (line: number) => outlineRows(SYMBOLS, { filter: "", line }).find(({ current }) => current)?.name;
    expect([at(4), at(7), at(15), at(25)]).toEqual(["check", "add", "Cart", undefined]);
  });

  it("is narrowed by names, without their depth", () => {
    const rows = outlineRows(SYMBOLS, { filter: " T", line: undefined });
    expect(rows.map(({ name, depth }) => `${depth} ${name}`)).toEqual(["0 Cart", "0 total", "0 empty"]);
  });
});
