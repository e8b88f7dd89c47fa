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
    const files = snippetsFor(ADDRESS).filter(({ place }) => place.includes(".json"));
    expect(files.map(({ id }) => id)).toEqual(["cursor", "vs-code", "windsurf", "gemini-cli"]);
    for (const { text } of files) {
      expect(JSON.parse(text)).toBeTypeOf("object");
    }
  });

  it("say where the token goes while there is none", () => {
    expect(snippetsFor(ADDRESS)[0]?.text).toContain("Bearer YOUR_TOKEN");
  });
});
