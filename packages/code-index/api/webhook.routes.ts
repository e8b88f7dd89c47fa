import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "@sightline/foundation/errors";
import type { Clock } from "@sightline/foundation/clock";
import type { Authenticator, Routes } from "@sightline/foundation/http-server";
import { z } from "zod";
import { enqueueJob } from "#store/jobs.store.ts";
import { notePush } from "#store/pushes.store.ts";
import type { CodeIndexDatabase } from "#store/tenant.ts";
import { authFailed } from "./auth-errors.ts";
import type { IncomingRequest } from "./request-tenant.ts";

type WebhookDependencies = {
  readonly secret: string | undefined;
  readonly database: CodeIndexDatabase;
  readonly clock: Clock;
};

/** GitHub's largest delivery. */
const BODY_LIMIT = 25 * 1024 * 1024;

const answerSchema = z.object({ status: z.enum(["pong", "accepted", "ignored"]), message: z.string(), jobs: z.array(z.uuid()) });
type Answer = z.infer<typeof answerSchema>;

const pushSchema = z.object({
  ref: z.string(),
  deleted: z.boolean().default(false),
  repository: z.object({
    full_name: z
      .string()
      .max(200)
      .regex(/^[^\0]*$/),
    default_branch: z.string(),
  }),
});

/** Refuses what can't be signed rightly before its body is read. */
export function createWebhookAuthenticator(secret: string | undefined): Authenticator {
  return async (request) => {
    if (secret === undefined) {
      throw authFailed("No webhook is accepted: the server has no CODEINDEX_WEBHOOK_SECRET.");
    }
    signatureOf(request);
  };
}

export function webhookRoutes({ secret, database, clock }: WebhookDependencies): Routes {
  return (server) => {
    // The signature is over the bytes as they were sent.
    server.removeAllContentTypeParsers();
    server.addContentTypeParser("application/json", { parseAs: "buffer", bodyLimit: BODY_LIMIT }, (_request, body, done) =>
      done(null, body),
    );

    server.post(
      "/api/v1/ingest/webhook",
      { config: { auth: "webhook" }, bodyLimit: BODY_LIMIT, schema: { response: { 200: answerSchema, 202: answerSchema } } },
      async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        verify(body, signatureOf(request), secret ?? "");
        const event = request.headers["x-github-event"];
        if (event === "ping") {
          return reply.status(200).send({ status: "pong", message: "The webhook is set up.", jobs: [] });
        }
        if (event !== "push") {
          return reply.status(202).send(ignored(`${typeof event === "string" ? event.slice(0, 50) : "unnamed"} events are not used here`));
        }
        return reply.status(202).send(await takePush(body));
      },
    );
  };

  async function takePush(body: Buffer): Promise<Answer> {
    const { ref, deleted, repository } = parsePush(body);
    if (ref !== `refs/heads/${repository.default_branch}` || deleted) {
      return ignored("only pushes to the default branch are indexed");
    }
    const registered = await notePush(database, repository.full_name);
    if (registered.length === 0) {
      return ignored("no such repository is registered");
    }
    const jobs: string[] = [];
    for (const { tenant_id: tenantId, id: repoId } of registered) {
      const job = await enqueueJob(database, { tenantId, repoId, mode: "incremental", trigger: "webhook", now: clock.now() });
      jobs.push(job.job_id);
    }
    return { status: "accepted", message: "The push will be indexed.", jobs };
  }
}

function ignored(message: string): Answer {
  return { status: "ignored", message, jobs: [] };
}

function signatureOf(request: IncomingRequest): string {
  const [, signature] = /^sha256=([0-9a-f]{64})$/i.exec(String(request.headers["x-hub-signature-256"] ?? "")) ?? [];
  if (signature === undefined) {
    throw authFailed("The delivery has no X-Hub-Signature-256: sha256=<HMAC of the body>.");
  }
  return signature;
}

function verify(body: Buffer, signature: string, secret: string): void {
  const expected = createHmac("sha256", secret).update(body).digest();
  if (!timingSafeEqual(expected, Buffer.from(signature, "hex"))) {
    throw authFailed("The delivery's signature is not that of this body and the shared secret.");
  }
}

function parsePush(body: Buffer): z.infer<typeof pushSchema> {
  try {
    return pushSchema.parse(JSON.parse(body.toString()));
  } catch (error) {
    throw new AppError({
      code: "invalid_push",
      status: 400,
      message: "The body is not a push event: expected JSON with ref and repository {full_name, default_branch}.",
      cause: error,
    });
  }
}
