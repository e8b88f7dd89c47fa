import { expect, it } from "vitest";
import { webhookAddress } from "./webhook-address.ts";

it("is beside the MCP endpoint, also where the code index is served under a path", () => {
  expect(webhookAddress("http://localhost:8080/mcp")).toBe("http://localhost:8080/api/v1/ingest/webhook");
  expect(webhookAddress("https://acme.dev/code-index/mcp")).toBe("https://acme.dev/code-index/api/v1/ingest/webhook");
});
