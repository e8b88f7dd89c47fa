import type { Authenticator } from "@sightline/foundation/http/http-server";
import type { Access } from "#store/tenancy/read-scope.store.ts";
import type { Tenant } from "#store/tenancy/tenant.ts";
import type { ServerResponse } from "node:http";
import { AppError } from "@sightline/foundation/errors";

/** A request as the server hands it to authenticators and routes. */
export type IncomingRequest = Parameters<Authenticator>[0];

const tenants = new WeakMap<object, Tenant>();
const allowed = new WeakMap<object, readonly string[]>();
const people = new WeakMap<object, Person>();

/** Somebody with an account: the subject of an access token, or who made a developer token. */
export type Person = { readonly tenantId: string; readonly userId: string };

export function setTenant(request: IncomingRequest, tenant: Tenant): void {
  tenants.set(request, tenant);
}

/** The tenant of whoever makes the request. @throws {Error} when the route's auth class lets requests through without one. */
export function tenantOf(request: IncomingRequest): Tenant {
  const tenant = tenants.get(request);
  if (tenant === undefined) {
    throw new Error(`${request.method} ${request.routeOptions.url ?? request.url} asks for a tenant but its auth class sets none`);
  }
  return tenant;
}

/** Keeps a request to some of its tenant's repositories, by id; without this it sees them all. */
export function setAllowedRepositories(request: IncomingRequest, repositories: readonly string[]): void {
  allowed.set(request, repositories);
}

/** Sets the person that plug-in tools answer for; without one the request opens code alone. */
export function setPerson(request: IncomingRequest, person: Person): void {
  people.set(request, person);
}

export function personOf(request: IncomingRequest): Person | undefined {
  return people.get(request);
}

/** The code that the request may see; every read takes it. @throws {Error} as `tenantOf`. */
export function scopeOf(request: IncomingRequest): Access {
  return { tenant: tenantOf(request), repositories: allowed.get(request) };
}

/** Aborted when whoever asked is gone before the answer. */
export function whileAwaited(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () =>
    gone.abort(new AppError({ code: "request_abandoned", status: 499, message: "Nobody waits for the answer." })),
  );
  return gone.signal;
}
