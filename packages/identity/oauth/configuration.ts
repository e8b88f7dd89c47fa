import { hkdfSync } from "node:crypto";
import { errors, interactionPolicy, Provider, type Adapter, type Configuration, type JWK, type KoaContextWithOIDC } from "oidc-provider";
import type { IncomingMessage } from "node:http";
import { ACCESS_TOKEN_SECONDS } from "@sightline/foundation/http/token-lifetime";
import { PROXY_PATH, SCOPE, TOKEN_EXCHANGE, WORKLOAD_CLIENT } from "./addresses.ts";
import { isOriginOf, isRedirectAllowed } from "./app-metadata.ts";
import { showError } from "./error-page.ts";
import { DOCUMENT_BYTES, type FetchDocument } from "./fetch-document.ts";
import type { LiveGrant } from "./grant.store.ts";

type Parts = {
  readonly publicUrl: string;
  readonly secretKey: string;
  readonly resource: string;
  readonly adapter: (kind: string) => Adapter;
  /** The one key that signs. */
  readonly signingKey: JWK;
  readonly fetchDocument: FetchDocument;
  /** Whether whoever sends this request may make us fetch what an app says of itself. */
  readonly mayFetch: (request: IncomingMessage) => Promise<boolean>;
  readonly isLiveAccount: (id: string) => Promise<boolean>;
  /** The grant that a token is made for; notes that it was used. */
  readonly grantOfToken: (id: string) => Promise<LiveGrant>;
};

const CODE_SECONDS = 60;
/** Long enough for a login with a second factor. */
const QUESTION_SECONDS = 900;

const FETCH_MS = 2_500;
/** However short the app's own site says. */
const DOCUMENT_CACHE_SECONDS = { min: 300, max: 24 * 3600 };

const { Check, Prompt } = interactionPolicy;

/** OAuth 2.1 as MCP asks for it: codes with PKCE for public clients, refresh tokens that rotate, one resource. OpenID Connect is off. */
export function createConfiguration(parts: Parts): Configuration {
  const { resource, publicUrl } = parts;
  const secure = publicUrl.startsWith("https:");
  const prefix = secure ? "__Secure-" : "";
  const cookie = { httpOnly: true, sameSite: "lax", signed: true, secure } as const;
  return {
    adapter: parts.adapter,
    jwks: { keys: [parts.signingKey] },
    routes: { authorization: "/oauth/authorize", token: "/oauth/token", revocation: "/oauth/revoke", jwks: "/oauth/jwks" },
    scopes: [SCOPE],
    responseTypes: ["code"],
    subjectTypes: ["public"],
    clientAuthMethods: ["none"],
    clients: [{ client_id: WORKLOAD_CLIENT, grant_types: [TOKEN_EXCHANGE], redirect_uris: [], response_types: [] }],
    // Loopback addresses of any port are an app's own (RFC 8252) to clients that are `native` alone.
    clientDefaults: {
      application_type: "native",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      id_token_signed_response_alg: "RS256",
    },
    pkce: { required: () => true },
    cookies: {
      keys: [Buffer.from(hkdfSync("sha256", parts.secretKey, "", "sightline.identity|oauth-cookies", 32)).toString("base64url")],
      names: {
        session: `${prefix}sightline_oauth_session`,
        interaction: `${prefix}sightline_oauth_question`,
        resume: `${prefix}sightline_oauth_resume`,
      },
      long: cookie,
      short: cookie,
    },
    ttl: {
      AccessToken: (ctx) => Math.min(ACCESS_TOKEN_SECONDS, secondsLeft(ctx)),
      AuthorizationCode: CODE_SECONDS,
      Grant: QUESTION_SECONDS,
      IdToken: CODE_SECONDS,
      Interaction: QUESTION_SECONDS,
      RefreshToken: (ctx) => secondsLeft(ctx),
      Session: QUESTION_SECONDS,
    },
    features: {
      claimsParameter: { enabled: false },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      // An app may be named by an address at which it says who it is, instead of registering.
      clientIdMetadataDocument: {
        enabled: true,
        ack: "draft-02",
        allowFetch: () => true,
        allowClient: (_ctx, { redirectUris = [] }) => redirectUris.length > 0 && redirectUris.every(isRedirectAllowed),
        cacheDuration: DOCUMENT_CACHE_SECONDS,
      },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, _client, oneOf) => oneOf ?? resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, indicator) => {
          if (indicator !== resource) {
            throw new errors.InvalidTarget(`this server makes tokens for ${resource} alone`);
          }
          askForTheScope(ctx);
          return { scope: SCOPE, audience: resource, accessTokenFormat: "jwt", jwt: { sign: { alg: "RS256" } } };
        },
      },
    },
    // Counted here and not by `allowFetch`, which is not asked for what a document makes the library fetch besides (`sector_identifier_uri`).
    fetch: async (address, { signal } = {}) => {
      const request = Provider.ctx?.req;
      if (request === undefined || !(await parts.mayFetch(request))) {
        throw new Error("this place has had enough fetched");
      }
      return parts.fetchDocument(new URL(address instanceof Request ? address.url : address), signal ?? AbortSignal.timeout(FETCH_MS));
    },
    fetchResponseBodyLimits: { "client_id metadata document": DOCUMENT_BYTES },
    interactions: {
      // Its own address under the API: the browser sends the cookie that goes with it to the routes below it alone.
      url: (_ctx, { uid }) => `${publicUrl}${PROXY_PATH}/oauth/interactions/${uid}`,
      policy: [
        new Prompt({ name: "login", requestable: true }),
        // Always asked: nobody's browser lets an app in without them.
        new Prompt(
          { name: "consent", requestable: true },
          new Check("not_asked_yet", "nobody was asked yet", "consent_required", ({ oidc }) => oidc.result?.consent?.grantId === undefined),
        ),
      ] as unknown as interactionPolicy.DefaultPolicy,
    },
    loadExistingGrant: async ({ oidc }) => {
      const grantId = oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    findAccount: async (_ctx, id) => ((await parts.isLiveAccount(id)) ? { accountId: id, claims: async () => ({ sub: id }) } : undefined),
    extraTokenClaims: async (_ctx, token) => {
      const grantId = "grantId" in token ? token.grantId : undefined;
      if (grantId === undefined) {
        throw new errors.InvalidGrant("it belongs to no grant");
      }
      const { id, tenantId, epoch, repositories, traces, evaluation } = await parts.grantOfToken(grantId);
      return { tid: tenantId, epoch, sid: id, traces, evaluation, ...(repositories === null ? {} : { repositories }) };
    },
    clientBasedCORS: (_ctx, origin, { redirectUris = [] }) => isOriginOf(origin, redirectUris),
    renderError: showError,
  };
}

/** Apps that name no scope, or only some that are unknown here, get the one there is. */
function askForTheScope({ oidc }: KoaContextWithOIDC): void {
  if (oidc.route === "authorization" && oidc.params !== undefined && !oidc.requestParamScopes.has(SCOPE)) {
    oidc.params["scope"] = SCOPE;
  }
}

/** Nothing outlives its grant. */
function secondsLeft({ oidc }: KoaContextWithOIDC): number {
  const until = oidc.entities.Grant?.exp ?? 0;
  return Math.max(until - Math.floor(Date.now() / 1000), 1);
}
