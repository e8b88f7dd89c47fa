import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, decodeJwt } from "jose";
import { Provider, type Configuration } from "oidc-provider";
import { z } from "zod";

/**
 * An OpenID Connect provider in a process of its own: the program that `startCompanyProvider` starts. It logs in whomever it was told
 * last, and can be told to answer wrongly, which no real one does.
 */
const optionsSchema = z.object({
  redirectUri: z.string(),
  clients: z.array(z.object({ id: z.string(), secret: z.string() })),
  /** The person who logs in until somebody else is told. */
  person: z.unknown(),
});

const orderSchema = z.object({
  /** The person who logs in from now on. */
  person: z.object({ sub: z.string(), claims: z.record(z.string(), z.unknown()), amr: z.array(z.string()).default([]) }),
  /** Wrong claims for its ID tokens, and the key that signs them. */
  wrong: z.record(z.string(), z.unknown()).default({}),
  isForged: z.boolean().default(false),
});

type Order = z.output<typeof orderSchema>;

const { redirectUri, clients, person } = optionsSchema.parse(JSON.parse(process.argv[2] ?? ""));
let order: Order = orderSchema.parse({ person });
const people = new Map([[order.person.sub, order.person]]);

const own = await generateKeyPair("RS256", { extractable: true });
const foreign = await generateKeyPair("RS256", { extractable: true });
const key = { ...(await exportJWK(own.privateKey)), kid: "own", alg: "RS256", use: "sig" };

const configuration: Configuration = {
  clients: clients.map(({ id, secret }) => ({
    client_id: id,
    client_secret: secret,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code"],
    response_types: ["code"],
  })),
  jwks: { keys: [key] },
  pkce: { required: () => true },
  claims: { openid: ["sub", "amr"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
  scopes: ["openid", "email", "profile", "groups"],
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  cookies: { keys: ["of-the-tests"] },
  findAccount: (_ctx, id) => ({ accountId: id, claims: async () => ({ ...people.get(id)?.claims, sub: id, amr: people.get(id)?.amr }) }),
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId ?? "", accountId: oidc.session?.accountId ?? "" });
    grant.addOIDCScope("openid email profile groups");
    await grant.save();
    return grant;
  },
  renderError: (ctx, out) => {
    ctx.type = "json";
    ctx.body = out;
  },
};

const server = createServer();
server.listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const provider = new Provider(issuer, configuration);
const answer = provider.callback();

server.on("request", (request: IncomingMessage, response: ServerResponse) => {
  if (request.url?.startsWith("/interaction/") === true) {
    void provider.interactionFinished(request, response, { login: { accountId: order.person.sub, amr: order.person.amr } });
    return;
  }
  if (request.url === "/token" && (Object.keys(order.wrong).length > 0 || order.isForged)) {
    answerWrongly(response, order);
  }
  void answer(request, response);
});

/** Replaces the ID token in what the provider answers. */
function answerWrongly(response: ServerResponse, { wrong, isForged }: Order): void {
  const end = response.end.bind(response) as (body: string) => ServerResponse;
  response.end = ((body: unknown) => {
    const said = z.record(z.string(), z.unknown()).parse(JSON.parse(String(body)));
    const token = z.string().safeParse(said["id_token"]);
    if (!token.success) {
      return end(String(body));
    }
    void new SignJWT({ ...decodeJwt(token.data), ...wrong })
      .setProtectedHeader({ alg: "RS256", kid: "own" })
      .sign(isForged ? foreign.privateKey : own.privateKey)
      .then((changed) => {
        response.removeHeader("content-length");
        return end(JSON.stringify({ ...said, id_token: changed }));
      });
    return response;
  }) as typeof response.end;
}

process.on("message", (told) => {
  order = orderSchema.parse(told);
  people.set(order.person.sub, order.person);
  process.send?.({ done: true });
});
process.on("disconnect", () => process.exit());
process.send?.({ issuer });
