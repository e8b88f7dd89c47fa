import { createHash, randomBytes } from "node:crypto";
import { decodeJwt, type JWTPayload } from "jose";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { accessTokenOf } from "./identity-fixture.ts";

export const RESOURCE = "http://localhost:8080/mcp";
export const CALLBACK = "http://127.0.0.1:41999/callback";

const FORM = "application/x-www-form-urlencoded";

/** An app in the middle of its way in: what it holds, and what the browser that it opened holds. */
export type App = { readonly clientId: string; readonly verifier: string };

export type Tokens = { readonly access_token: string; readonly refresh_token: string; readonly expires_in: number; readonly scope: string };

export async function registerApp(server: HttpServer, metadata: Readonly<Record<string, unknown>> = {}): Promise<App> {
  const payload = { client_name: "Test assistant", redirect_uris: [CALLBACK], token_endpoint_auth_method: "none", ...metadata };
  const answer = await server.inject({ method: "POST", url: "/oauth/register", payload });
  return { clientId: answer.json<{ client_id: string }>().client_id, verifier: randomBytes(32).toString("base64url") };
}

/** Opens the browser: `parameters` change what the app asks for, and `undefined` leaves it out. */
export function askFor(
  server: HttpServer,
  app: App,
  parameters: Readonly<Record<string, string | undefined>> = {},
  cookie = "",
  headers: Readonly<Record<string, string>> = {},
) {
  const asked = {
    response_type: "code",
    client_id: app.clientId,
    redirect_uri: CALLBACK,
    code_challenge: createHash("sha256").update(app.verifier).digest("base64url"),
    code_challenge_method: "S256",
    state: "the-state",
    resource: RESOURCE,
    ...parameters,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    if (value !== undefined) {
      query.set(name, value);
    }
  }
  return server.inject({ url: `/oauth/authorize?${query.toString()}`, headers: { ...headers, cookie } });
}

type Answer = Awaited<ReturnType<typeof askFor>>;

/** The question that the browser was led to, and the cookies that it got with it. */
export function questionOf(answer: Answer): { readonly uid: string; readonly cookie: string } {
  const [, uid = ""] = /\/oauth\/interactions\/([\w-]+)$/.exec(String(answer.headers.location)) ?? [];
  return { uid, cookie: answer.cookies.map(({ name, value }) => `${name}=${value}`).join("; ") };
}

export const ALL = { decision: "allow", repositories: null, traces: false, days: 1 };

export function consent(
  server: HttpServer,
  question: ReturnType<typeof questionOf>,
  token: string,
  answer: Readonly<Record<string, unknown>> = ALL,
) {
  const headers = { authorization: `Bearer ${token}`, cookie: question.cookie };
  return server.inject({ method: "POST", url: `/oauth/interactions/${question.uid}/consent`, headers, payload: answer });
}

/** Where the browser is after the consent: at the app. */
export async function goOn(server: HttpServer, consented: Answer, cookie: string): Promise<URL> {
  const { continue_to: next } = consented.json<{ continue_to: string }>();
  const answer = await server.inject({ url: new URL(next).pathname.replace("/api/identity", ""), headers: { cookie } });
  return new URL(String(answer.headers.location));
}

function askForTokens(server: HttpServer, parameters: Readonly<Record<string, string>>, ip = "203.0.113.9") {
  const payload = new URLSearchParams(parameters).toString();
  return server.inject({ method: "POST", url: "/oauth/token", headers: { "content-type": FORM }, payload, remoteAddress: ip });
}

export function exchange(server: HttpServer, app: App, code: string, parameters: Readonly<Record<string, string>> = {}) {
  const given = { grant_type: "authorization_code", client_id: app.clientId, code, code_verifier: app.verifier, redirect_uri: CALLBACK };
  return askForTokens(server, { ...given, resource: RESOURCE, ...parameters });
}

export function refreshTokens(server: HttpServer, app: App, refreshToken: string, parameters: Readonly<Record<string, string>> = {}) {
  return askForTokens(server, { grant_type: "refresh_token", client_id: app.clientId, refresh_token: refreshToken, ...parameters });
}

/** The whole way up to the code. */
export async function codeFor(
  server: HttpServer,
  app: App,
  email: string,
  answer: Readonly<Record<string, unknown>> = ALL,
): Promise<string> {
  const question = questionOf(await askFor(server, app));
  const consented = await consent(server, question, await accessTokenOf(server, email), answer);
  const { searchParams } = await goOn(server, consented, question.cookie);
  return searchParams.get("code") ?? "";
}

/** The whole way up to the tokens. */
export async function connectApp(server: HttpServer, email: string, answer: Readonly<Record<string, unknown>> = ALL) {
  const app = await registerApp(server);
  const answered = await exchange(server, app, await codeFor(server, app, email, answer));
  return { app, tokens: answered.json<Tokens>() };
}

export function claimsOf(token: string): JWTPayload {
  return decodeJwt(token);
}
