import { principalOf } from "@sightline/foundation/principal";

type Request = Parameters<typeof principalOf>[0];

/** Who asks, for routes of the auth class `admin-or-operator`: the operator may see every tenant. */
export function actorOf(request: Request): { readonly by: string; readonly tenantId: string | undefined } {
  const principal = principalOf(request);
  if (principal.kind === "operator") {
    return { by: "operator", tenantId: undefined };
  }
  if (principal.kind === "user") {
    return { by: principal.userId, tenantId: principal.tenantId };
  }
  throw new Error(
    `${request.routeOptions.url ?? request.url} is for admins and the operator, its auth class let a ${principal.kind} through`,
  );
}
