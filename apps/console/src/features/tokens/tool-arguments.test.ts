import { describe, expect, it } from "vitest";
import { toArguments, listToolFields } from "./tool-arguments.ts";

const tool = {
  name: "search",
  description: "",
  inputSchema: {
    properties: {
      regex: { type: "boolean" },
      limit: { type: "integer", default: 10 },
      query: { type: "string", description: "What to look for." },
    },
    required: ["query"],
  },
};

describe("the form of a tool", () => {
  it("asks for what the tool must have first, and shows what holds otherwise", () => {
    expect(listToolFields(tool).map(({ name, kind, placeholder }) => [name, kind, placeholder])).toEqual([
      ["query", "text", ""],
      ["regex", "flag", ""],
      ["limit", "number", "10"],
    ]);
  });

  it("sends what was typed in the types of the tool, and nothing for what was left empty", () => {
    const fields = listToolFields(tool);
    expect(toArguments(fields, { query: "  cart", limit: "3", regex: "true" })).toEqual({ query: "  cart", limit: 3, regex: true });
    expect(toArguments(fields, { query: "cart", limit: " " })).toEqual({ query: "cart" });
  });
});
