import type { Clock } from "@sightline/foundation/clock";
import { refusal } from "@sightline/foundation/errors";
import type { Routes } from "@sightline/foundation/http/http-server";
import { getPrincipal } from "@sightline/foundation/http/principal";
import { route } from "@sightline/foundation/http/route";
import { z } from "zod";
import * as contract from "#contract.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { readWatch, whyNotWatchable } from "#watching/read-watch.ts";
import * as store from "#watching/saved-searches.store.ts";
import { found, parseId } from "#http/kit/found.ts";
import { presentRow } from "#http/kit/presenters.ts";
import { getAccess, type IncomingRequest } from "#http/kit/request-tenant.ts";

type Dependencies = { readonly database: CodeIndexDatabase; readonly clock: Clock; readonly mails: boolean };

const PATH = "/api/v1/saved-searches";
const MAX_NAME = 100;
const params = z.object({ id: z.string() });

/** A person's saved searches; nobody else, admins neither, sees or changes them. */
export function savedSearchRoutes({ database, clock, mails }: Dependencies): Routes {
  return (server) => {
    server.get(
      PATH,
      route("user", "Your saved searches, and how much is new of those you watch", { response: { 200: contract.savedSearchesSchema } }),
      async (request) => {
        const rows = await store.listSavedSearches(database, personOf(request));
        return { items: rows.map((row) => present(request, row)), mail: mails };
      },
    );

    server.post(
      PATH,
      route("user", "Save a search; one that is saved already is answered as it is", {
        body: contract.saveSearchRequestSchema,
        response: { 201: contract.savedSearchSchema },
      }),
      async (request, reply) => {
        const { name = request.body.query.trim().slice(0, MAX_NAME).toWellFormed() || "Search", ...query } = request.body;
        const row = await store.saveSearch(database, { ...personOf(request), name, query, now: clock.now() });
        return reply.status(201).send(present(request, row ?? refuse("saved", contract.MAX_SAVED_SEARCHES)));
      },
    );

    server.patch(
      `${PATH}/:id`,
      route("user", "Rename it, watch it, be mailed, or mark what it found as read", {
        params,
        body: contract.changeSavedSearchRequestSchema,
        response: { 200: contract.savedSearchSchema },
      }),
      async (request) => {
        const { query, id } = await find(request, request.params.id);
        if (request.body.watch === true) {
          readWatch(getAccess(request), query);
        }
        if (request.body.by_email === true && !mails) {
          throw refusal(409, "mail_not_configured", "This Sightline mails no finds: its operator sets SMTP_URL for that.");
        }
        const row = await store.changeSavedSearch(database, { ...personOf(request), id }, request.body);
        return present(request, row ?? refuse("watched", contract.MAX_WATCHED_SEARCHES));
      },
    );

    server.delete(
      `${PATH}/:id`,
      route("user", "Delete it, with what it found", { params, response: { 204: z.null() } }),
      async (request, reply) => {
        const { id } = await find(request, request.params.id);
        await store.deleteSavedSearch(database, { ...personOf(request), id, now: clock.now() });
        return reply.status(204).send(null);
      },
    );

    server.get(
      `${PATH}/:id/alerts`,
      route("user", "Lines that were added and match it, by repository and commit, the newest first", {
        params,
        response: { 200: contract.watchAlertsSchema },
      }),
      async (request) => {
        const { id } = await find(request, request.params.id);
        const rows = await store.listAlerts(database, getAccess(request), { ...personOf(request), id });
        return { items: rows.map((row) => presentRow(contract.watchAlertSchema, row)) };
      },
    );
  };

  async function find(request: IncomingRequest, given: string): Promise<store.SavedSearchRow> {
    const id = parseId("saved_search", given);
    return found("saved_search", (await store.listSavedSearches(database, { ...personOf(request), id }))[0]);
  }
}

function personOf(request: IncomingRequest): store.Person {
  const principal = getPrincipal(request);
  if (principal.kind !== "user") {
    throw new Error("Saved searches are a person's, but the auth class of their routes lets others through.");
  }
  return principal;
}

function refuse(how: "saved" | "watched", max: number): never {
  throw refusal(409, `too_many_${how}_searches`, `You have ${max} ${how} searches, the most there may be; give one up first.`);
}

function present(request: IncomingRequest, { query, ...row }: store.SavedSearchRow): contract.SavedSearch {
  return presentRow(contract.savedSearchSchema, { ...query, ...row, not_watchable: whyNotWatchable(getAccess(request), query) });
}
