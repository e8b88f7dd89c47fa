import { createHash, randomBytes } from "node:crypto";
import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { tellAudit, type Accounts } from "#accounts.ts";
import { createdShareLinkSchema, createShareLinkRequestSchema, MAX_SHARE_LINKS, shareLinkListSchema, type ShareLink } from "#contract.ts";
import { traceNotFound } from "#query/access/not-found.errors.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { findTrace } from "#query/steps/traces.store.ts";
import { deleteShareLink, insertShareLink, listShareLinks, type ShareLinkRow } from "./share-links.store.ts";

const config = { auth: "user" };
const path = "/api/v1/projects/:project_id";
const traceParams = projectParams.extend({ trace_id: z.uuid() });
const linkParams = projectParams.extend({ share_link_id: z.uuid() });
const HOUR_MS = 3_600_000;

/** `publicUrl`: of the console. */
type Options = Omit<RouteDependencies, "log"> & { readonly accounts: Accounts | undefined; readonly publicUrl: string };

/** Links to traces for people without an account: made and ended here, and each time written to the audit. */
export function shareLinkRoutes({ query, clock, accounts, publicUrl }: Options) {
  return (server: HttpServer): void => {
    const summary = "Make a link that shows a trace without a login; the only answer that has it";
    const response = { 201: createdShareLinkSchema };
    server.post(
      `${path}/traces/:trace_id/share-links`,
      { config, schema: { summary, params: traceParams, body: createShareLinkRequestSchema, response } },
      async (request, reply) => {
        const { hours, shows } = request.body;
        const { reader, projectId } = await enterProject(query, request, "editor");
        const { id: traceId } = orRefuse(await findTrace(query, { reader, projectId, traceId: request.params.trace_id }), traceNotFound);
        const [token, id, now] = [randomBytes(32).toString("base64url"), uuidv7(), clock.now()];
        const [tokenHash, expiresAt] = [hashShareToken(token), new Date(now.getTime() + hours * HOUR_MS)];
        const named = { id, project_id: projectId, trace_id: traceId, token_sha256: tokenHash, shows, created_by: toAuthor(reader) };
        const link = { ...named, created_at: now, expires_at: expiresAt };
        orRefuse((await insertShareLink(query, reader, link)) || undefined, linkNotMade);
        // Until it is answered nobody has the token: what can't be audited opens nothing.
        const details = { project: projectId, trace: traceId, link: id, expires: expiresAt.toISOString() };
        await tellAudit(accounts, { event: "share_link_created", at: now, reader, request, details });
        const url = `${publicUrl.replace(/\/$/, "")}/shared/${token}`;
        return reply
          .header("cache-control", "no-store")
          .status(201)
          .send({ ...present(link), url });
      },
    );

    const listed = { summary: "Links to traces that are valid, without the links themselves", response: { 200: shareLinkListSchema } };
    server.get(`${path}/share-links`, { config, schema: { ...listed, params: projectParams } }, async (request) => {
      const project = await enterProject(query, request, "viewer");
      return { items: (await listShareLinks(query, project, clock.now())).map(present), next_cursor: null };
    });

    const ended = { summary: "End a link to a trace, at once", params: linkParams, response: { 204: z.null() } };
    server.delete(`${path}/share-links/:share_link_id`, { config, schema: ended }, async (request, reply) => {
      const { reader, projectId } = await enterProject(query, request, "editor");
      const { share_link_id: id } = request.params;
      orRefuse((await deleteShareLink(query, { reader, projectId, id })) || undefined, linkNotFound);
      const details = { project: projectId, link: id };
      await tellAudit(accounts, { event: "share_link_revoked", at: clock.now(), reader, request, details });
      return reply.status(204).send(null);
    });
  };
}

export const hashShareToken = (token: string) => createHash("sha256").update(token).digest("hex");

function present({ created_at: createdAt, expires_at: expiresAt, ...link }: ShareLinkRow): ShareLink {
  return { ...link, created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() };
}

const linkNotFound = () =>
  refusal(404, "share_link_not_found", "The project has no such link; GET …/share-links lists those that are valid.");
const linkNotMade = () =>
  refusal(
    409,
    "share_link_not_made",
    `Links are off in this project (Settings, Sharing), or it has ${MAX_SHARE_LINKS}, the most: end some.`,
  );
