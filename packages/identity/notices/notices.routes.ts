import { z } from "zod";
import type { Clock } from "@sightline/foundation/clock";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { routesTagged } from "@sightline/foundation/http/route";
import { getOwner } from "@sightline/foundation/http/principal";
import { noticesSchema, type Notice } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Queries } from "#schema.ts";
import { findUnreadNotices, markRead } from "./notice.store.ts";
import { isNoticeKind, noticeSentence } from "./notice-texts.ts";

const route = routesTagged("notices");

const MAX_NOTICES = 50;

/** Serves the notices about one's own account that the console shows. */
export function noticeRoutes({ queries, clock }: { readonly queries: Queries; readonly clock: Clock }) {
  return (server: HttpServer): void => {
    server.get(
      "/login/notices",
      route("session", "What there is to know of one's account and was not read", { response: { 200: noticesSchema } }),
      async (request) => {
        const rows = await findUnreadNotices(queries, getOwner(request).userId, MAX_NOTICES);
        return {
          notices: rows.map(({ id, kind, at, details }): Notice => ({
            id,
            kind,
            at: at.toISOString(),
            text: isNoticeKind(kind) ? noticeSentence(kind, details) : "Something about your account has changed.",
            details,
          })),
        };
      },
    );

    server.post(
      "/login/notices/:id/read",
      route("session", "Do not show it again", { params: z.object({ id: z.uuid() }), response: { 204: z.null() } }),
      async (request, reply) => {
        if (!(await markRead(queries, request.params.id, getOwner(request).userId, clock.now()))) {
          throw refusal("not_found");
        }
        return reply.status(204).send(null);
      },
    );
  };
}
