import { describe, expect, it } from "vitest";
import { snippetsFor } from "./snippets.ts";

const ADDRESS = "https://code.acme.dev/mcp";

describe("the snippets for assistants", () => {
  it("name the address, and hold the token wherever it is not asked for later", () => {
    for (const { id, text } of snippetsFor(ADDRESS, "codeindex_abc")) {
      expect(text, id).toContain(ADDRESS);
      expect(text.includes("codeindex_abc"), id).toBe(id !== "vs-code");
    }
  });

  it("that go into a file of JSON are JSON", () => {
    for (const token of ["codeindex_abc", undefined]) {
      const files = snippetsFor(ADDRESS, token).filter(({ place }) => place.includes(".json"));
      expect(files.map(({ id }) => id)).toEqual(["cursor", "vs-code", "windsurf", "gemini-cli"]);
      for (const { text } of files) {
        expect(JSON.parse(text)).toBeTypeOf("object");
      }
    }
  });

  it("name the address alone for an assistant that signs in in the browser", () => {
    const snippets = snippetsFor(ADDRESS);
    expect(snippets[0]?.text).toBe(`claude mcp add --transport http sightline ${ADDRESS}\nclaude mcp login sightline`);
    for (const { id, text } of snippets) {
      expect(text, id).toContain(ADDRESS);
      expect(text, id).not.toMatch(/token|bearer|header/i);
    }
  });
});
