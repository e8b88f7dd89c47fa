import {
  passkeyCreationSchema,
  passkeyLoginAnswerSchema,
  passkeyRequestSchema,
  passkeysSchema,
  registerPasskeyAnswerSchema,
  stepUpAnswerSchema,
} from "@sightline/identity/contract";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";
import { encoded, identity } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";
import { askForPasskey, makePasskey } from "#features/auth/passkey.ts";
import type { WithStepUp } from "#http/with-step-up.ts";
import { meQuery } from "./me.ts";
import { sessionsQuery } from "./sessions.ts";

const PASSKEYS = "/login/passkeys";

type Answer = Awaited<ReturnType<typeof askForPasskey>>;

export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: answerTo(identity.get(PASSKEYS, { answer: passkeysSchema.transform(({ passkeys }) => passkeys) })),
});

/** What a change of them makes out of date: it also ends other sessions. */
export const PASSKEY_KEYS = [passkeysQuery.queryKey, meQuery.queryKey, sessionsQuery.queryKey];

/** What the login asks any passkey of this console. */
export const loginRequest = identity.post("/login/passkey/options", { answer: passkeyRequestSchema, anonymous: true });

export const sendLogin = (response: Answer) =>
  identity.post("/login/passkey", { body: { response }, answer: passkeyLoginAnswerSchema, anonymous: true });

/** A login by passkey alone. */
export async function logInByPasskey(api: Api) {
  return api.request(sendLogin(await askForPasskey(await api.request(loginRequest))));
}

/** The second step of a login, by passkey. */
export async function verifyByPasskey(api: Api, partialToken: string) {
  const partial = { partial_token: partialToken };
  const request = identity.post("/login/verify-2fa/passkey/options", { body: partial, answer: passkeyRequestSchema, anonymous: true });
  const response = await askForPasskey(await api.request(request));
  const body = { ...partial, response };
  return api.request(identity.post("/login/verify-2fa/passkey", { body, answer: passkeyLoginAnswerSchema, anonymous: true }));
}

/** A passkey in place of password and code; for ten minutes this session may then do what asks for them. */
export async function stepUpByPasskey(api: Api) {
  const request = await api.request(identity.post("/step-up/passkey/options", { answer: passkeyRequestSchema }));
  const response = await askForPasskey(request);
  return api.request(identity.post("/step-up/passkey", { body: { response }, answer: stepUpAnswerSchema }));
}

/** Makes a passkey and adds it. With the first one comes a new session, in which the page goes on. */
export async function addPasskey(api: Api, withStepUp: WithStepUp, name: string): Promise<void> {
  const creation = await withStepUp(() => api.request(identity.post(`${PASSKEYS}/options`, { answer: passkeyCreationSchema })));
  const body = { name, response: await makePasskey(creation) };
  const { access_token: token } = await withStepUp(() =>
    api.request(identity.post(PASSKEYS, { body, answer: registerPasskeyAnswerSchema })),
  );
  if (token !== undefined) {
    api.signIn(token);
  }
}

export const renamePasskey = (id: string, name: string) => identity.patch(PASSKEYS + encoded`/${id}`, { body: { name } });

export const removePasskey = (id: string) => identity.delete(PASSKEYS + encoded`/${id}`);
