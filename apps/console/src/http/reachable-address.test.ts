import { describe, expect, it } from "vitest";
import { reachableAddress } from "./reachable-address.ts";

const here = { protocol: "http:", hostname: "localhost" };
const there = { protocol: "https:", hostname: "code.acme.dev" };

describe("an address that Sightline gives for itself", () => {
  it("is taken as it is when it names a host, or when this page is on that machine", () => {
    expect(reachableAddress(there, "https://mcp.acme.dev/mcp")).toBe("https://mcp.acme.dev/mcp");
    expect(reachableAddress(here, "http://127.0.0.1:18080/mcp")).toBe("http://127.0.0.1:18080/mcp");
  });

  it("is on this page's host, at its own port, when it means Sightline's own machine", () => {
    expect(reachableAddress(there, "http://localhost:18080/mcp")).toBe("https://code.acme.dev:18080/mcp");
  });

  it("stays what it is when it can't be read", () => {
    expect(reachableAddress(there, "not an address")).toBe("not an address");
  });
});
