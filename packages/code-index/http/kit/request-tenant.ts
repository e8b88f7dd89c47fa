import type { Authenticator } from "@sightline/foundation/http/http-server";
import type { Access } from "#store/tenancy/read-scope.store.ts";
import type { Tenant } from "#store/tenancy/tenant.ts";
import type { ServerResponse } from "node:http";
import { refusal } from "@sightline/foundation/errors";

/** A request as the server hands it to authenticators and routes. */
export type IncomingRequest = Parameters<Authenticator>[0];

/** Somebody with an account: the subject of an access token, or who made a developer token. */
export type Person = {
  readonly tenantId: string;
  readonly userId: string;
  /** Whether issues and experiments are opened too, and items may be added to datasets. */
  readonly evaluation: boolean;
};

type Caller = {
  readonly tenant: Tenant;
  /** Ids of the repositories that the request is kept to; all of the tenant when left out. */
  readonly repositories?: readonly string[] | undefined;
  /** Whom plug-in tools answer for; without one the request opens code alone. */
  readonly person?: Person | undefined;
  /** The one branch that the request may upload to; any when left out. */
  readonly branch?: string | undefined;
};

const callers = new WeakMap<object, Caller>();

export function setCaller(request: IncomingRequest, caller: Caller): void {
  callers.set(request, caller);
}

/** The code that the request may see; every read takes it. @throws {Error} when the route's auth class lets requests through without a caller. */
export function getAccess(request: IncomingRequest): Access {
  const caller = callers.get(request);
  if (caller === undefined) {
    throw new Error(`${request.method} ${request.routeOptions.url ?? request.url} asks for a tenant but its auth class sets none`);
  }
  return { tenant: caller.tenant, repositories: caller.repositories };
}

/** The tenant of whoever makes the request. @throws {Error} as `getAccess`. */
export function getTenant(request: IncomingRequest): Tenant {
  return getAccess(request).tenant;
}

export function getPerson(request: IncomingRequest): Person | undefined {
  return callers.get(request)?.person;
}

export function getBranch(request: IncomingRequest): string | undefined {
  return callers.get(request)?.branch;
}

/** Aborted when whoever asked is gone before the answer. */
export function whileAwaited(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort(refusal(499, "request_abandoned", "Nobody waits for the answer.")));
  return gone.signal;
}
