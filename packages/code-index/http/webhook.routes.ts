import { AppError, refusal } from "@sightline/foundation/errors";
import type { Authenticator, HttpServer, Routes } from "@sightline/foundation/http/http-server";
import { type Metrics, createCounter } from "@sightline/foundation/http/metrics";
import { z } from "zod";
import { readHead } from "#webhooks/read-head.ts";
import { takeDelivery, type WebhookTools } from "#webhooks/take-delivery.ts";

/** GitHub's largest delivery. */
const BODY_LIMIT = 25 * 1024 * 1024;
/** Bytes of all bodies being received at once: their senders are not verified yet. */
const BYTES_AT_ONCE = 8 * BODY_LIMIT;

const answerSchema = z.object({ status: z.enum(["pong", "accepted", "ignored"]), message: z.string(), jobs: z.array(z.uuid()) });

type Webhook = { readonly authenticator: Authenticator; readonly routes: Routes };

/** `POST /api/v1/ingest/webhook`, and what refuses a delivery that can't be signed rightly before its body is read. */
export function createWebhook(tools: WebhookTools & { readonly metrics: Metrics }): Webhook {
  // Those that were refused leave no other trace.
  const deliveries = createCounter(tools.metrics, {
    name: "codeindex_webhook_deliveries_total",
    help: "Webhook deliveries by host and by what they came to.",
    labels: ["provider", "outcome"],
  });
  return {
    authenticator: async ({ headers }) => {
      try {
        readHead(headers);
      } catch (error) {
        deliveries.inc({ provider: "unknown", outcome: "refused" });
        throw error;
      }
    },
    routes: (server) => {
      readBytes(server);
      limitBytes(server);
      server.post(
        "/api/v1/ingest/webhook",
        {
          config: { auth: "webhook" },
          bodyLimit: BODY_LIMIT,
          schema: {
            summary: "Hear of a push: GitHub, GitLab, Gitea, Forgejo, Bitbucket, or a script",
            response: { 200: answerSchema, 202: answerSchema },
          },
        },
        async (request, reply) => {
          const head = readHead(request.headers);
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
          const taken = await takeDelivery(tools, { head, body }).catch((error: unknown) => {
            if (error instanceof AppError) {
              deliveries.inc({ provider: head.provider, outcome: error.status === 401 ? "refused" : "invalid" });
            }
            throw error;
          });
          deliveries.inc({ provider: head.provider, outcome: taken.status });
          return reply.status(taken.status === "pong" ? 200 : 202).send({ ...taken, jobs: [...taken.jobs] });
        },
      );
    },
  };
}

/** Keeps bodies as bytes, since the signature is over the bytes as they were sent. */
function readBytes(server: HttpServer): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "buffer", bodyLimit: BODY_LIMIT }, (_request, body, done) => done(null, body));
  server.addContentTypeParser("*", (_request, _payload, done) =>
    done(refusal(415, "unsupported_media_type", "Set the webhook's content type to application/json at the host; forms are not read.")),
  );
}

function limitBytes(server: HttpServer): void {
  let underWay = 0;
  server.addHook("onRequest", async (request, reply) => {
    const said = Number(request.headers["content-length"] ?? BODY_LIMIT);
    const bytes = Math.min(Number.isFinite(said) ? said : BODY_LIMIT, BODY_LIMIT);
    if (underWay + bytes > BYTES_AT_ONCE) {
      throw refusal(503, "busy", "Too many large deliveries at once; send this one again in a few seconds.", {
        headers: { "retry-after": "10" },
      });
    }
    underWay += bytes;
    reply.raw.once("close", () => {
      underWay -= bytes;
    });
  });
}
