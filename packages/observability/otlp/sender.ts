import { getPrincipal } from "@sightline/foundation/http/principal";

type Request = Parameters<typeof getPrincipal>[0];

/** The project of the API key by which something is sent, and its tenant. */
export function senderOf(request: Request): { readonly projectId: string; readonly tenantId: string } {
  const principal = getPrincipal(request);
  if (principal.kind !== "project-key") {
    throw new Error(`the auth class ingest let a ${principal.kind} through`);
  }
  return principal;
}
