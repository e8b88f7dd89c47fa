import { refusal } from "@sightline/foundation/errors";
import type { Clock } from "@sightline/foundation/clock";
import type { Routes } from "@sightline/foundation/http/http-server";
import { getPrincipal } from "@sightline/foundation/http/principal";
import { route } from "@sightline/foundation/http/route";
import { z } from "zod";
import {
  changeSavedSearchRequestSchema,
  MAX_SAVED_SEARCHES,
  MAX_WATCHED_SEARCHES,
  savedSearchesSchema,
  savedSearchSchema,
  saveSearchRequestSchema,
  watchAlertSchema,
  watchAlertsSchema,
  type SavedSearch,
} from "#contract.ts";
import type { Access } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { readWatch, whyNotWatchable } from "#watching/read-watch.ts";
import {
  changeSavedSearch,
  deleteSavedSearch,
  listAlerts,
  listSavedSearches,
  saveSearch,
  type SavedSearchRow,
} from "#watching/saved-searches.store.ts";
import { found, parseId } from "#http/kit/found.ts";
import { presentRow } from "#http/kit/presenters.ts";
import { getAccess, type IncomingRequest } from "#http/kit/request-tenant.ts";

type Dependencies = { readonly database: CodeIndexDatabase; readonly clock: Clock; readonly mails: boolean };

const MAX_NAME = 100;
const params = z.object({ id: z.string() });

/** A person's saved searches; nobody else, admins neither, sees or changes them. */
export function savedSearchRoutes({ database, clock, mails }: Dependencies): Routes {
  return (server) => {
    server.get(
      "/api/v1/saved-searches",
      route("user", "Your saved searches, and what is new of those you watch", { response: { 200: savedSearchesSchema } }),
      async (request) => {
        const rows = await listSavedSearches(database, personOf(request));
        return { items: rows.map((row) => present(getAccess(request), row)), mail: mails };
      },
    );

    server.post(
      "/api/v1/saved-searches",
      route("user", "Save a search; one that is saved already is answered as it is", {
        body: saveSearchRequestSchema,
        response: { 201: savedSearchSchema },
      }),
      async (request, reply) => {
        const { name = request.body.query.trim().slice(0, MAX_NAME).toWellFormed() || "Search", ...query } = request.body;
        const row = await saveSearch(database, { ...personOf(request), name, query, now: clock.now() });
        if (row === undefined) {
          throw refusal(409, "too_many_saved_searches", `You have saved ${MAX_SAVED_SEARCHES} searches, the most; delete one first.`);
        }
        return reply.status(201).send(present(getAccess(request), row));
      },
    );

    server.patch(
      "/api/v1/saved-searches/:id",
      route("user", "Rename it, watch it, be mailed, or mark what it found as read", {
        params,
        body: changeSavedSearchRequestSchema,
        response: { 200: savedSearchSchema },
      }),
      async (request) => {
        const { query, id } = await find(request);
        if (request.body.watch === true) {
          readWatch(getAccess(request), query);
        }
        if (request.body.by_email === true && !mails) {
          throw refusal(409, "mail_not_configured", "This Sightline mails no finds: its operator sets SMTP_URL for that.");
        }
        const row = await changeSavedSearch(database, { ...personOf(request), id }, request.body);
        if (row === undefined) {
          throw refusal(409, "too_many_watched_searches", `You watch ${MAX_WATCHED_SEARCHES} searches, the most; stop watching one first.`);
        }
        return present(getAccess(request), row);
      },
    );

    server.delete(
      "/api/v1/saved-searches/:id",
      route("user", "Delete it, with what it found", { params, response: { 204: z.null() } }),
      async (request, reply) => {
        const id = parseId("saved_search", request.params.id);
        const deleted = await deleteSavedSearch(database, { ...personOf(request), id, now: clock.now() });
        found("saved_search", deleted ? id : undefined);
        return reply.status(204).send(null);
      },
    );

    server.get(
      "/api/v1/saved-searches/:id/alerts",
      route("user", "Lines that were added and match it, by repository and commit, the newest first", {
        params,
        response: { 200: watchAlertsSchema },
      }),
      async (request) => {
        const { id } = await find(request);
        const rows = await listAlerts(database, { tenant: getAccess(request).tenant, userId: personOf(request).userId, id });
        return { items: rows.map((row) => presentRow(watchAlertSchema, row)) };
      },
    );
  };

  async function find(request: IncomingRequest & { readonly params: z.infer<typeof params> }): Promise<SavedSearchRow> {
    const id = parseId("saved_search", request.params.id);
    return found("saved_search", (await listSavedSearches(database, { ...personOf(request), id }))[0]);
  }
}

function personOf(request: IncomingRequest): { readonly tenantId: string; readonly userId: string } {
  const principal = getPrincipal(request);
  if (principal.kind !== "user") {
    throw new Error("Saved searches are a person's, but the auth class of their routes lets others through.");
  }
  return principal;
}

function present(access: Access, { query, ...row }: SavedSearchRow): SavedSearch {
  return presentRow(savedSearchSchema, { ...query, ...row, not_watchable: whyNotWatchable(access, query) });
}
