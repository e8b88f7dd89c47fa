import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { PasskeyCreation, PasskeyRequest } from "#contract.ts";
import { answerOf, makePasskey, type Fault, type SoftwarePasskey } from "./software-authenticator.ts";

type Added = { readonly passkey: SoftwarePasskey; readonly id: string; readonly token: string };

export function post(server: HttpServer, url: string, payload?: object, token?: string, ip = "203.0.113.7") {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return server.inject({ method: "POST", url, headers, remoteAddress: ip, ...(payload === undefined ? {} : { payload }) });
}

/** Adds a passkey to the account whose token it is. @returns it, and the token to go on with. */
export async function addPasskey(
  server: HttpServer,
  token: string,
  { name = "Laptop", ...options }: { readonly name?: string; readonly synced?: boolean; readonly counts?: boolean } = {},
): Promise<Added> {
  const creation = await post(server, "/login/passkeys/options", undefined, token);
  if (creation.statusCode !== 200) {
    throw new Error(`no passkey was asked for: ${creation.body}`);
  }
  const { passkey, response } = makePasskey(creation.json<PasskeyCreation>(), options);
  const added = await post(server, "/login/passkeys", { name, response }, token);
  if (added.statusCode !== 201) {
    throw new Error(`the passkey was not added: ${added.body}`);
  }
  const { passkey: shown, access_token: next = token } = added.json<{ passkey: { id: string }; access_token?: string }>();
  return { passkey, id: shown.id, token: next };
}

/** Asks for the server's request to a passkey, at the login. */
export async function loginRequest(server: HttpServer): Promise<PasskeyRequest> {
  return (await post(server, "/login/passkey/options")).json<PasskeyRequest>();
}

/** A login by passkey alone. */
export async function logInByPasskey(server: HttpServer, passkey: SoftwarePasskey, fault?: Fault, ip?: string) {
  const response = answerOf(passkey, await loginRequest(server), fault);
  return post(server, "/login/passkey", { response }, undefined, ip);
}

/** Asks for the server's request to a passkey, at the second step. */
export async function secondStepRequest(server: HttpServer, partialToken: string): Promise<PasskeyRequest> {
  return (await post(server, "/login/verify-2fa/passkey/options", { partial_token: partialToken })).json<PasskeyRequest>();
}

/** Asks for the server's request to a passkey, in place of password and code. */
export async function stepUpRequest(server: HttpServer, token: string): Promise<PasskeyRequest> {
  return (await post(server, "/step-up/passkey/options", undefined, token)).json<PasskeyRequest>();
}

/** Another session's step-up by passkey. */
export async function stepUpByPasskey(server: HttpServer, token: string, passkey: SoftwarePasskey) {
  return post(server, "/step-up/passkey", { response: answerOf(passkey, await stepUpRequest(server, token)) }, token);
}
