import { principalOf } from "@sightline/foundation/principal";

type Request = Parameters<typeof principalOf>[0];

/** The tenant whose projects the request may see. For routes of the auth classes `user` and `user-or-key`. */
export function tenantOf(request: Request): string {
  const principal = principalOf(request);
  if (principal.kind !== "user" && principal.kind !== "project-key") {
    throw new Error(`${request.routeOptions.url ?? request.url} is for users and keys, its auth class let a ${principal.kind} through`);
  }
  return principal.tenantId;
}
