import type { IncomingMessage, ServerResponse } from "node:http";
import { errors, Provider, type JWK, type KoaContextWithOIDC, type TokenEndpointGrantContext } from "oidc-provider";
import type { Clock } from "@sightline/foundation/clock";
import { AppError, errorMessage } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import { findAccount } from "#accounts/account.store.ts";
import type { Client } from "#audit/client.ts";
import type { Sealer } from "#keys/sealed-values.ts";
import type { SigningKeys } from "#keys/signing-keys.ts";
import type { Notices } from "#notices/notices.ts";
import type { Queries } from "#schema.ts";
import { placeCounters } from "#throttle/counters.ts";
import type { Counter, Throttle } from "#throttle/throttle.ts";
import { createAdapter } from "./adapter.ts";
import { answerLater } from "./answer-later.ts";
import { mcpResource, PROXY_PATH, TOKEN_EXCHANGE } from "./addresses.ts";
import { isLoopback } from "./app-metadata.ts";
import { createConfiguration } from "./configuration.ts";
import { endGrant } from "./end-grant.ts";
import type { FetchDocument } from "./fetch-document.ts";
import { findLiveGrant, noteGrantUsed } from "./grant.store.ts";

export type OauthDependencies = {
  readonly queries: Queries;
  readonly keys: SigningKeys;
  readonly sealer: Sealer;
  readonly notices: Notices;
  readonly throttle: Throttle;
  readonly fetchDocument: FetchDocument;
  /** Exchanges the ID token of a job. @throws {AppError} with an error code of OAuth. */
  readonly exchange: (idToken: string, client: Client) => Promise<{ readonly token: string; readonly seconds: number }>;
  readonly secretKey: string;
  readonly publicUrl: string;
  readonly codeIndexUrl: string;
  readonly log: Logger;
  readonly clock: Clock;
};

export type OauthProvider = ReturnType<typeof createOauthProvider>;

type Exchanged = { readonly subject_token?: unknown; readonly subject_token_type?: unknown };
const ID_TOKENS = ["urn:ietf:params:oauth:token-type:id_token", "urn:ietf:params:oauth:token-type:jwt"];

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** The library's server over our tables and keys. It is made anew when the key that signs changes. */
export function createOauthProvider(dependencies: OauthDependencies) {
  const { queries, keys, clock, publicUrl } = dependencies;
  const clients = new WeakMap<IncomingMessage, Client>();
  const resource = mcpResource(dependencies.codeIndexUrl);
  const adapter = createAdapter({
    ...dependencies,
    resource,
    endGrant: async (grantId) => {
      const { req, oidc } = Provider.ctx ?? {};
      const reused = oidc?.route === "revocation" ? undefined : String(oidc?.params?.["grant_type"]);
      await endGrant(dependencies, { grantId, client: req === undefined ? undefined : clients.get(req), reused });
    },
  });
  let made: { readonly kid: string; readonly provider: Provider } | undefined;

  async function current(): Promise<Provider> {
    const { kid, privateKey } = await keys.active();
    if (made?.kid !== kid) {
      const signingKey = { ...(privateKey.export({ format: "jwk" }) as JWK), kid, alg: "RS256", use: "sig" };
      const configuration = createConfiguration({
        secretKey: dependencies.secretKey,
        publicUrl,
        resource,
        adapter,
        signingKey,
        fetchDocument: dependencies.fetchDocument,
        mayFetch: async (request) => {
          const ip = clients.get(request)?.ip ?? "";
          return (await dependencies.throttle.takeIfFree(documentCounters(ip))) !== undefined;
        },
        isLiveAccount: async (id) => (await findAccount(queries, id))?.disabledAt === null,
        grantOfToken: async (id) => {
          const grant = await findLiveGrant(queries, id, clock.now());
          if (grant === undefined) {
            throw new errors.InvalidGrant("the grant has ended");
          }
          await noteGrantUsed(queries, id, clock.now());
          return grant;
        },
      });
      made = { kid, provider: prepared(new Provider(publicUrl, configuration), dependencies.log) };
      made.provider.registerGrantType<Exchanged>(TOKEN_EXCHANGE, answerJob, ["subject_token", "subject_token_type"]);
    }
    return made.provider;
  }

  /** @throws {errors.OIDCProviderError} */
  async function answerJob(ctx: TokenEndpointGrantContext<Exchanged>): Promise<void> {
    const { subject_token: idToken, subject_token_type: type } = ctx.oidc.params;
    if (typeof idToken !== "string" || !ID_TOKENS.includes(String(type))) {
      throw new errors.InvalidRequest(`send the job's ID token as subject_token, and as subject_token_type ${ID_TOKENS[0]}`);
    }
    const client = clients.get(ctx.req) ?? { ip: "", userAgent: undefined };
    const { token, seconds } = await dependencies.exchange(idToken, client).catch((error: unknown) => {
      throw error instanceof AppError ? new errors.CustomOIDCProviderError(error.code, error.message) : error;
    });
    const issued = { issued_token_type: "urn:ietf:params:oauth:token-type:access_token", token_type: "Bearer" };
    ctx.body = { access_token: token, ...issued, expires_in: seconds };
  }

  return {
    resource,
    /** Answers by the library, which reads the request and writes the response itself. */
    answer: async ({ request, response }: Exchange, client: Client): Promise<void> => {
      const provider = await current();
      clients.set(request, client);
      await provider.callback()(asFromOutside(request, publicUrl), response);
    },
    /** @throws {errors.SessionNotFound} when the browser does not have the question's cookie, or it was answered or is over. */
    question: async ({ request, response }: Exchange) => (await current()).interactionDetails(request, response),
    /** @returns where the browser goes on. */
    answerQuestion: async ({ request, response }: Exchange, answer: Parameters<Provider["interactionResult"]>[2]) =>
      (await current()).interactionResult(request, response, answer),
    findClient: async (id: string) => (await current()).Client.find(id),
  };
}

/** Each fetch is a request of ours to an address that somebody else names. */
function documentCounters(ip: string): readonly Counter[] {
  return placeCounters("oauth-document", ip, { tries: 20, windowSeconds: 600 });
}

/**
 * An app may be anybody's, so no browser is sent on to one that a person has not let in (RFC 9700, 4.11.2): the error is a page here. The
 * person's own no is told to a program that waits for it on their own machine.
 */
function keepBrowser({ oidc }: KoaContextWithOIDC, error: Error): void {
  const isNo = oidc.route === "resume" && error instanceof errors.AccessDenied;
  Object.assign(error, { allow_redirect: isNo && isLoopback(String(oidc.params?.["redirect_uri"])) });
}

function prepared(provider: Provider, log: Logger): Provider {
  // The address that it reads of the request is set below, whatever proxies say.
  provider.proxy = true;
  provider.on("authorization.error", keepBrowser);
  provider.on("server_error", (ctx, error) => {
    keepBrowser(ctx, error);
    log.error({ reason: errorMessage(error) }, "a request of an app failed");
    answerLater(ctx, error);
  });
  // Koa's own, without which it writes to the console.
  Reflect.apply(provider.on.bind(provider), undefined, [
    "error",
    (error: unknown) => log.warn({ reason: errorMessage(error) }, "a request of an app was cut off"),
  ]);
  return provider;
}

/** Browsers and apps come by PUBLIC_URL, so that is where the library leads them, and whose cookies it sets. */
function asFromOutside(request: IncomingMessage, publicUrl: string): IncomingMessage {
  const { host, protocol } = new URL(publicUrl);
  request.headers.host = host;
  request.headers["x-forwarded-proto"] = protocol.slice(0, -1);
  delete request.headers["x-forwarded-host"];
  return Object.assign(request, { originalUrl: `${PROXY_PATH}${request.url ?? ""}` });
}
