import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { createLifecycle } from "@sightline/foundation/lifecycle";
import { composeRole } from "#compose/compose.ts";
import { createContext } from "#compose/wiring/context.ts";
import type { Environment } from "#settings/environment.ts";
import { roleNames, type RoleName } from "#settings/role-names.ts";

export type ServedRoute = {
  readonly role: RoleName;
  readonly method: string;
  readonly url: string;
  /** The class that guards it. */
  readonly auth: string | undefined;
};

export type RunningRoles = {
  readonly routes: readonly ServedRoute[];
  readonly serverOf: (role: RoleName) => HttpServer;
  readonly stop: () => Promise<void>;
};

type RouteOptions = { readonly method: string | string[]; readonly url: string; readonly config?: { readonly auth?: string } };

/** Starts every role of the product in this process, as it is wired, and notes each route that any of their servers gets. */
export async function startRoles(environment: Environment): Promise<RunningRoles> {
  const servers = new Map<RoleName, HttpServer>();
  const noted: { readonly role: RoleName; readonly options: RouteOptions }[] = [];
  const stops: (() => Promise<void>)[] = [];
  for (const role of roleNames) {
    const note = (message: unknown) => {
      const { fastify } = message as { readonly fastify: HttpServer };
      servers.set(role, fastify);
      fastify.addHook("onRoute", (options) => void noted.push({ role, options }));
    };
    // What Fastify calls out whenever a server is made, before anything is registered.
    subscribe("fastify.initialization", note);
    const services = await composeRole(role, createContext(role, { environment, log: silentLog }));
    unsubscribe("fastify.initialization", note);
    const lifecycle = createLifecycle({ log: silentLog, services });
    await lifecycle.start();
    stops.unshift(lifecycle.stop);
  }
  return {
    routes: noted.flatMap(({ role, options }) =>
      [options.method].flat().map((method) => ({ role, method, url: options.url, auth: options.config?.auth })),
    ),
    serverOf: (role) => {
      const server = servers.get(role);
      if (server === undefined) {
        throw new Error(`${role} has no HTTP server`);
      }
      return server;
    },
    stop: async () => {
      for (const stop of stops.splice(0)) {
        await stop();
      }
    },
  };
}
