import { orRefuse } from "@sightline/foundation/errors";
import { randomBytes } from "node:crypto";
import type { Clock } from "@sightline/foundation/clock";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { SealError } from "@sightline/foundation/secrets/sealing";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import {
  alertChannelListSchema,
  createAlertChannelRequestSchema,
  createdAlertChannelSchema,
  EVENTS_URLS,
  testedAlertChannelSchema,
  type AlertChannel,
  type CreateAlertChannelRequest,
} from "#contract.ts";
import { projectNotFound } from "#query/access/not-found.errors.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { enterProject, projectParams } from "#query/access/project-route.ts";
import type { Query } from "#schema.ts";
import {
  deleteAlertChannel,
  findAlertChannel,
  findTenant,
  insertAlertChannel,
  listAlertChannels,
  noteChannelUse,
  type AlertChannelRow,
} from "./alert-channels.store.ts";
import { findProject } from "#store/projects.store.ts";
import {
  addressRefused,
  alertChannelNotFound,
  mailNotConfigured,
  noEncryptionKeys,
  notOwnAddress,
  tooManyAlertChannels,
} from "./project-alert.errors.ts";
import type { ChannelSecrets } from "./channel-secrets.ts";
import { findRefusal } from "./post-message.ts";
import { tellChannel, type ChannelAccess } from "./tell-channel.ts";

type Options = { readonly query: Query; readonly clock: Clock; readonly access: ChannelAccess };

const changing = { auth: "user-or-operator" };
const oneParams = projectParams.extend({ channel_id: z.uuid() });

/** Serves the channels that a project's alerts are sent to. */
export function alertChannelRoutes({ query, clock, access }: Options) {
  return (server: HttpServer): void => {
    const path = "/api/v1/projects/:project_id/alert-channels";

    server.get(
      path,
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Alert channels of a project, without their secrets",
          params: projectParams,
          response: { 200: alertChannelListSchema },
        },
      },
      async (request) => {
        const { reader, projectId } = await enterProject(query, request, "viewer");
        return { items: (await listAlertChannels(query, { projectId, reader })).map(present), next_cursor: null };
      },
    );

    server.post(
      path,
      {
        config: changing,
        schema: {
          summary: "Make an alert channel; the only answer with its secret",
          params: projectParams,
          body: createAlertChannelRequestSchema,
          response: { 201: createdAlertChannelSchema },
        },
      },
      async (request, reply) => {
        const { name, kind } = request.body;
        const { reader, projectId } = await enterProject(query, request, "owner");
        const id = uuidv7();
        const secrets = secretsOf(request.body);
        const host =
          request.body.kind === "email"
            ? await mailable(access, request.body.email, orRefuse(await findTenant(query, { projectId, reader }), projectNotFound))
            : await reachable(access, new URL(secrets.url));
        const { sealedUrl, sealedSecret } = sealed(access, id, secrets);
        const row = { name, kind, host, sealed_url: sealedUrl, sealed_secret: sealedSecret, created_by: toAuthor(reader) };
        if (!(await insertAlertChannel(query, { projectId, reader, id }, row))) {
          throw tooManyAlertChannels();
        }
        const channel = orRefuse(await findAlertChannel(query, { projectId, reader, id }), alertChannelNotFound);
        return reply.status(201).send({ ...present(channel), secret: kind === "webhook" ? secrets.secret : null });
      },
    );

    server.delete(
      `${path}/:channel_id`,
      {
        config: changing,
        schema: { summary: "Delete an alert channel; rules tell the others alone", params: oneParams, response: { 204: z.null() } },
      },
      async (request, reply) => {
        const chosen = { ...(await enterProject(query, request, "owner")), id: request.params.channel_id };
        if (!(await deleteAlertChannel(query, chosen))) {
          throw alertChannelNotFound();
        }
        return reply.status(204).send(null);
      },
    );

    server.post(
      `${path}/:channel_id/test`,
      {
        config: changing,
        schema: {
          summary: "Send a message to an alert channel now, once, and say whether it arrived",
          params: oneParams,
          response: { 200: testedAlertChannelSchema },
        },
      },
      async (request) => {
        const chosen = { ...(await enterProject(query, request, "owner")), id: request.params.channel_id };
        const [channel, project] = [
          await findAlertChannel(query, chosen),
          await findProject(query, { id: chosen.projectId, reader: chosen.reader, recentSince: clock.now() }),
        ];
        if (channel === undefined || project === undefined) {
          throw alertChannelNotFound();
        }
        const message = { ...TEST, id: uuidv7(), project_id: chosen.projectId, project_name: project.name, at: clock.now() };
        const problem = await tellChannel(access, channel, message);
        await noteChannelUse(query, channel.id, problem ?? null);
        return { is_delivered: problem === undefined, problem: problem ?? null };
      },
    );
  };
}

const TEST = {
  rule_id: null,
  rule_name: "A test of this channel",
  kind: "test",
  metric: "errors",
  threshold: 0,
  window_minutes: 5,
  filter: {},
  value: null,
  issues: null,
  experiment: null,
} as const;

function secretsOf(body: CreateAlertChannelRequest): ChannelSecrets {
  switch (body.kind) {
    case "webhook":
      return { url: body.url, secret: `whsec_${randomBytes(32).toString("base64url")}` };
    case "slack":
      return { url: body.url, secret: null };
    case "email":
      return { url: `mailto:${body.email}`, secret: null };
    case "pagerduty":
    case "opsgenie":
      return { url: body.url ?? EVENTS_URLS[body.kind], secret: body.key };
    default:
      return body satisfies never;
  }
}

/** @returns the address, which is what is shown. */
async function mailable({ mailing }: ChannelAccess, email: string, tenantId: string): Promise<string> {
  if (mailing === undefined) {
    throw mailNotConfigured();
  }
  if (!(await mailing.isOwnAddress(tenantId, email))) {
    throw notOwnAddress();
  }
  return email;
}

/** @returns the host, which is all that is shown. */
async function reachable({ allowPrivate }: ChannelAccess, target: URL): Promise<string> {
  const { host, username, password } = target;
  if (username !== "" || password !== "") {
    throw addressRefused("An address with a name or password in it is not sent to; check the signature instead.");
  }
  const refused = await findRefusal(target, allowPrivate);
  if (refused !== undefined) {
    throw addressRefused(refused);
  }
  return host;
}

function present(row: AlertChannelRow): AlertChannel {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    host: row.host,
    created_at: row.created_at.toISOString(),
    last_sent_at: row.last_sent_at?.toISOString() ?? null,
    last_problem: row.last_problem,
  };
}

function sealed({ sealer }: ChannelAccess, id: string, secrets: ChannelSecrets): ReturnType<ChannelAccess["sealer"]["seal"]> {
  try {
    return sealer.seal(id, secrets);
  } catch (error) {
    throw error instanceof SealError ? noEncryptionKeys(error) : error;
  }
}
