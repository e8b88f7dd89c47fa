import type { FastifyRequest } from "fastify";

export type Role = "admin" | "member";

/** Who makes a request, as far as the request has proven. */
export type Principal =
  | {
      readonly kind: "user";
      readonly userId: string;
      readonly tenantId: string;
      readonly role: Role;
      readonly authenticatedAt: Date;
      readonly sessionId: string | undefined;
    }
  | { readonly kind: "developer-token"; readonly tokenId: string; readonly tenantId: string }
  | { readonly kind: "project-key"; readonly keyId: string; readonly projectId: string }
  | { readonly kind: "operator" };

const principals = new WeakMap<FastifyRequest, Principal>();

export function setPrincipal(request: FastifyRequest, principal: Principal): void {
  principals.set(request, principal);
}

/** @throws {Error} when the route's auth class lets requests through without one. */
export function principalOf(request: FastifyRequest): Principal {
  const principal = principals.get(request);
  if (principal === undefined) {
    throw new Error(`${request.method} ${request.routeOptions.url ?? request.url} asks for a principal but its auth class sets none`);
  }
  return principal;
}
