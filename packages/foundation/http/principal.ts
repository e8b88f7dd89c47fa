import type { FastifyRequest } from "fastify";
import { type AppError, refusal } from "#errors.ts";

export type Role = "admin" | "member";

/** The caller of a request, as far as the request has proven it. */
export type Principal =
  | {
      readonly kind: "user";
      readonly userId: string;
      readonly tenantId: string;
      readonly role: Role;
      readonly authenticatedAt: Date;
      readonly sessionId: string | undefined;
      /** Rights of their groups in projects, where they are known. */
      readonly projects?: readonly { readonly id: string; readonly level: "read" | "write" | "admin" }[] | undefined;
    }
  | { readonly kind: "developer-token"; readonly tokenId: string; readonly tenantId: string }
  | {
      readonly kind: "project-key";
      readonly keyId: string;
      readonly projectId: string;
      readonly tenantId: string;
      /** Its scope lets it write what the route is about. */
      readonly canChange: boolean;
      /** Its scopes let it change what production runs. */
      readonly canRelease: boolean;
      /** Whether what it writes may be made of traces: every key's may, and that of a job which may read. */
      readonly canReadTraces: boolean;
      /** The one branch that it may experiment on; any when left out. */
      readonly branch?: string | undefined;
    }
  | { readonly kind: "operator" };

const principals = new WeakMap<FastifyRequest, Principal>();

export function setPrincipal(request: FastifyRequest, principal: Principal): void {
  principals.set(request, principal);
}

/** @throws {Error} when the route's auth class lets requests through without one. */
export function getPrincipal(request: FastifyRequest): Principal {
  const principal = principals.get(request);
  if (principal === undefined) {
    throw new Error(`${request.method} ${request.routeOptions.url ?? request.url} asks for a principal but its auth class sets none`);
  }
  return principal;
}

/** A person with a session. */
export type Owner = Omit<Extract<Principal, { readonly kind: "user" }>, "kind" | "sessionId"> & { readonly sessionId: string };

/** @throws {Error} when the route's auth class lets others than people with a session through. */
export function getOwner(request: FastifyRequest): Owner {
  const principal = getPrincipal(request);
  if (principal.kind !== "user" || principal.sessionId === undefined) {
    throw new Error(`${request.method} ${request.url} is for people with a session, but its auth class lets others through`);
  }
  const { kind: _kind, sessionId, ...user } = principal;
  return { ...user, sessionId };
}

/** Refuses members where only admins may act. */
export function adminOnly(): AppError {
  return refusal(403, "admin_only", "Only admins may do this. Ask an admin of your organization.");
}
