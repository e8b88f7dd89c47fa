import type { IncomingMessage } from "node:http";
import { AppError, refusal } from "@sightline/foundation/errors";
import type { Authenticator, HttpServer, Routes } from "@sightline/foundation/http/http-server";
import { type Metrics, createCounter } from "@sightline/foundation/http/metrics";
import { z } from "zod";
import type { IncomingRequest } from "#http/kit/request-tenant.ts";
import { createIntakes, type Intake, type IntakeLimits } from "#webhooks/receive-body.ts";
import { readHead } from "#webhooks/read-delivery.ts";
import { type WebhookTools } from "#webhooks/check-sender.ts";
import { takeDelivery } from "#webhooks/take-delivery.ts";

const answerSchema = z.object({ status: z.enum(["pong", "accepted", "ignored"]), message: z.string(), jobs: z.array(z.uuid()) });

type WebhookOptions = WebhookTools & { readonly metrics: Metrics; readonly limits?: Partial<IntakeLimits> | undefined };
type Webhook = { readonly authenticator: Authenticator; readonly routes: Routes };

/** `POST /api/v1/ingest/webhook`, and what refuses a delivery that can't be signed rightly before its body is read. */
export function createWebhook(tools: WebhookOptions): Webhook {
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
      receiveBodies(server, createIntakes(tools));
      server.post(
        "/api/v1/ingest/webhook",
        {
          config: { auth: "webhook" },
          schema: {
            summary: "Hear of a push: GitHub, GitLab, Gitea, Forgejo, Gogs, Bitbucket, Azure DevOps, or a script",
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

/** Bodies are kept as bytes, since the signature is over the bytes as they were sent. */
function receiveBodies(server: HttpServer, createIntake: (ip: string) => Intake): void {
  const intakes = new WeakMap<IncomingMessage, Intake>();
  server.addHook("onRequest", async (request, reply) => {
    const intake = createIntake(request.ip);
    intakes.set(request.raw, intake);
    reply.raw.once("close", intake.release);
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", async (request: IncomingRequest, body: IncomingMessage) =>
    intakes.get(request.raw)?.receive(body),
  );
  server.addContentTypeParser("*", (_request, _payload, done) =>
    done(refusal(415, "unsupported_media_type", "Set the webhook's content type to application/json at the host; forms are not read.")),
  );
}
