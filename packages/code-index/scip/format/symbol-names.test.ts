import { expect, test } from "vitest";
import { describeSymbol } from "./describe-symbol.ts";
import { namesOfSymbol } from "./symbol-names.ts";

test("scip-python's symbol of a module is called as in the code, and not __init__", () => {
  expect(namesOfSymbol("scip-python python click 8.2 `click.globals`/__init__:")).toEqual({
    names: ["click.globals"],
    scope: "",
    kind: "module",
  });
  expect(namesOfSymbol("scip-python python click 8.2 `click.core`/Context#__init__().")).toMatchObject({
    kind: "method",
    scope: "Context",
  });
});

test("what language servers say of a module is its signature", () => {
  const documentation = ["(module) click", "Click is a module\nfor command lines."];
  expect(describeSymbol({ signature: "", documentation })).toEqual({
    signature: "(module) click",
    comment: "Click is a module\nfor command lines.",
  });
});
