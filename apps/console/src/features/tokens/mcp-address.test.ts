import { describe, expect, it } from "vitest";
import { mcpAddress } from "./mcp-address.ts";

const here = { protocol: "http:", hostname: "localhost" };
const there = { protocol: "https:", hostname: "code.acme.dev" };

describe("the address for assistants", () => {
  it("is the one that the code index gives", () => {
    expect(mcpAddress(there, "https://mcp.acme.dev/mcp")).toBe("https://mcp.acme.dev/mcp");
    expect(mcpAddress(here, "http://localhost:8080/mcp")).toBe("http://localhost:8080/mcp");
  });

  it("is on this page's host while the code index gives none, or only its own machine", () => {
    expect(mcpAddress(there, undefined)).toBe("https://code.acme.dev:8080/mcp");
    expect(mcpAddress(there, "http://localhost:8080/mcp")).toBe("https://code.acme.dev:8080/mcp");
    expect(mcpAddress(here, "not an address")).toBe("http://localhost:8080/mcp");
  });
});
