import { v7 as uuidv7 } from "uuid";
import type { FastifyReply, FastifyRequest } from "fastify";
import { errors } from "oidc-provider";
import { findProfile } from "#accounts/account.store.ts";
import { appendAudit } from "#audit/audit.store.ts";
import { getCaller, ownAction, type Caller } from "#audit/client.ts";
import type { ConsentAnswer, ConsentQuestion } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Transaction } from "#schema.ts";
import { requireFreshLogin } from "#session/require-factor.ts";
import { lockLiveSession } from "#session/session.store.ts";
import { plainName, redirectHost } from "./app-metadata.ts";
import { keepClientUntil } from "./client.store.ts";
import { insertGrant } from "./grant.store.ts";
import type { OauthDependencies, OauthProvider } from "./provider.ts";
import { hashStateId } from "./state.store.ts";

type Dependencies = OauthDependencies & { readonly provider: OauthProvider };

type Question = { readonly uid: string; readonly clientId: string; readonly app: ConsentQuestion["app"]; readonly exchange: Exchange };

type Exchange = Parameters<OauthProvider["question"]>[0];

const DAY_MS = 24 * 3600_000;
/** An app stays known for a while after its last grant, so that it can ask again. */
const KEPT_AFTER_MS = 30 * DAY_MS;

/**
 * Describes what an app asks of the person whose browser this is.
 *
 * @throws {AppError} 409 `connection_request_over` where the browser is another one than the app was opened in, too.
 */
export async function describeQuestion(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<ConsentQuestion> {
  const { app } = await findQuestion(dependencies, request, reply);
  const { userId } = getCaller(request);
  const profile = await findProfile(dependencies.queries, userId);
  if (profile === undefined) {
    throw refusal("auth_failed");
  }
  return { app, account: { email: profile.email, name: profile.name, tenant: profile.tenantName } };
}

/**
 * Letting an app in opens more, and for longer, than a session that somebody may have got hold of, so it asks for a login, or a
 * step-up, of the last ten minutes. A no asks for nothing.
 *
 * @returns where the browser goes on: to the app, with a code or without one.
 * @throws {AppError} 403 `step_up_required`, 409 `connection_request_over`.
 */
export async function answerQuestion(
  dependencies: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ConsentAnswer,
): Promise<string> {
  const question = await findQuestion(dependencies, request, reply);
  const { provider } = dependencies;
  if (answer.decision === "deny") {
    return provider.answerQuestion(question.exchange, { error: "access_denied", error_description: "the person said no" });
  }
  const caller = getCaller(request);
  requireFreshLogin(caller, dependencies.clock.now());
  const grantId = uuidv7();
  await dependencies.queries
    .transaction()
    .execute((transaction) => grant(dependencies, transaction, { grantId, question, caller, answer }));
  return provider.answerQuestion(question.exchange, { login: { accountId: caller.userId, remember: false }, consent: { grantId } });
}

async function findQuestion({ provider }: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<Question> {
  const exchange = { request: request.raw, response: reply.raw };
  try {
    const { uid, params, result } = await provider.question(exchange);
    const asked = String((request.params as { readonly uid?: unknown }).uid);
    const clientId = String(params["client_id"]);
    const client = await provider.findClient(clientId);
    if (uid === asked && result === undefined && client !== undefined) {
      return {
        uid,
        clientId,
        app: { name: plainName(client.clientName), redirect_host: redirectHost(String(params["redirect_uri"])) },
        exchange,
      };
    }
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) {
      throw error;
    }
  }
  throw refusal("connection_request_over");
}

type Granting = {
  readonly grantId: string;
  readonly question: Question;
  readonly caller: Caller;
  readonly answer: Extract<ConsentAnswer, { readonly decision: "allow" }>;
};

async function grant({ clock, notices }: Dependencies, transaction: Transaction, granting: Granting): Promise<void> {
  const { grantId, question, caller, answer } = granting;
  const { app, clientId } = question;
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + answer.days * DAY_MS);
  if (!(await lockLiveSession(transaction, caller.sessionId, caller.userId))) {
    throw refusal("auth_failed");
  }
  const { epoch } = await transaction
    .selectFrom("identity.users")
    .select("epoch")
    .where("id", "=", caller.userId)
    .executeTakeFirstOrThrow();
  const isFirst = await insertGrant(transaction, {
    id: grantId,
    user_id: caller.userId,
    epoch,
    client_id: clientId,
    app_name: app.name,
    redirect_host: app.redirect_host,
    repositories: answer.repositories === null ? null : [...new Set(answer.repositories)],
    traces: answer.traces,
    evaluation: answer.evaluation,
    asked_by: hashStateId("Interaction", question.uid),
    created_at: now,
    expires_at: expiresAt,
  });
  if (!isFirst) {
    throw refusal("connection_request_over");
  }
  await notices.append(transaction, {
    userId: caller.userId,
    kind: "app_connected",
    at: now,
    details: { name: app.name, host: app.redirect_host, days: String(answer.days), ip: caller.client.ip },
  });
  await keepClientUntil(transaction, clientId, new Date(expiresAt.getTime() + KEPT_AFTER_MS));
  await appendAudit(transaction, {
    ...ownAction(caller, now),
    event: "oauth_granted",
    details: {
      grant: grantId,
      app: app.name,
      redirect_host: app.redirect_host,
      repositories: answer.repositories === null ? "all" : String(answer.repositories.length),
      traces: answer.traces ? "yes" : "no",
      evaluation: answer.evaluation ? "yes" : "no",
      days: String(answer.days),
    },
  });
}
