import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import { senderOf } from "./sender.ts";

const named = z.object({ id: z.string(), name: z.string() });
const answered = z.object({ data: z.array(named.extend({ organization: named, metadata: z.object({}) })) });

/** Langfuse's SDKs ask by `auth_check()` which projects their keys are of; the answer is in their words, with ids for names. */
export function langfuseRoutes(server: HttpServer): void {
  const schema = { summary: "Langfuse's auth_check(): the project of an API key with the scope ingest", response: { 200: answered } };
  server.get("/api/public/projects", { config: { auth: "ingest" }, schema }, async (request) => {
    const { projectId, tenantId } = senderOf(request);
    return { data: [{ id: projectId, name: projectId, organization: { id: tenantId, name: tenantId }, metadata: {} }] };
  });
}
