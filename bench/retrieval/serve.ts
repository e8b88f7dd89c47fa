import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, waitUntilHealthy } from "#processes.ts";
import { startIssuer } from "#product.ts";
import { repository } from "#scripts.ts";
import type { Filled } from "./fill.ts";

/** The code index's API as it is started for real, on a filled database. */
export type Serving = {
  /** One call of a tool through `/mcp`. */
  readonly call: (tool: string, given: object) => Promise<void>;
  readonly stop: () => Promise<void>;
};

export async function serveIndex({ url: databaseUrl, tenantId }: Filled): Promise<Serving> {
  const home = await mkdtemp(join(tmpdir(), "sightline-bench-"));
  const port = await freePort();
  const issuer = await startIssuer();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ["apps/platform/sightline.ts", "start", "code-index"], {
    cwd: repository,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH: process.env["PATH"],
      DATABASE_URL: databaseUrl,
      // No role that is started reads it; without one a Redis would be started too.
      OBSERVABILITY_REDIS_URL: "redis://127.0.0.1:1",
      ENCRYPTION_KEYS: `bench:${randomBytes(32).toString("base64url")}`,
      SECRET_KEY: randomBytes(32).toString("base64url"),
      ENVIRONMENT: "development",
      SIGHTLINE_HOME: home,
      CODEINDEX_PORT: String(port),
      // The one whose vectors the index was filled with.
      CODEINDEX_EMBEDDER: process.env["CODEINDEX_EMBEDDER"] ?? "words",
      CODEINDEX_DATABASE_KEEPS_PLANS: process.env["CODEINDEX_DATABASE_KEEPS_PLANS"] ?? "false",
      CODEINDEX_JWT_JWKS_URL: issuer.url,
      CODEINDEX_WEBHOOK_SECRET: randomBytes(32).toString("base64url"),
      // Counted as everywhere, and never reached.
      CODEINDEX_MCP_CALLS_PER_MINUTE: "1000000",
    },
  });
  await waitUntilHealthy(url, child);
  const token = issuer.tokenFor(tenantId);
  return {
    call: (tool, given) => call({ url, token, tool, given }),
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      issuer.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

type Call = { readonly url: string; readonly token: string; readonly tool: string; readonly given: object };

async function call({ url, token, tool, given }: Call): Promise<void> {
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: given } }),
  });
  const text = await answer.text();
  if (!answer.ok || text.includes('"isError":true') || !text.includes('"content"')) {
    throw new Error(`/mcp answered ${answer.status}: ${text.slice(0, 500)}`);
  }
}
