import type { FastifyRequest } from "fastify";
import type { Tenant } from "#store/tenant.ts";

const tenants = new WeakMap<object, Tenant>();

export function setTenant(request: FastifyRequest, tenant: Tenant): void {
  tenants.set(request, tenant);
}

/** The tenant of whoever makes the request. @throws {Error} when the route's auth class lets requests through without one. */
export function tenantOf(request: FastifyRequest): Tenant {
  const tenant = tenants.get(request);
  if (tenant === undefined) {
    throw new Error(`${request.method} ${request.routeOptions.url ?? request.url} asks for a tenant but its auth class sets none`);
  }
  return tenant;
}
