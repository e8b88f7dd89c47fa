import { createAuthenticator, type Authenticator } from "./authenticator.ts";
import type { Credentials } from "./log-in.ts";

export type Admin = Credentials & { readonly authenticator: Authenticator; readonly backupCodes: readonly string[] };

export type Session = { readonly access_token: string };

export const MEMBERS_PASSWORD = "nine violet umbrellas";

/** An admin with a second factor, made over HTTP, for tests that begin where another one has ended. */
export async function makeAdmin(consoleUrl: string, first: Credentials, email: string): Promise<Admin> {
  const at = `${consoleUrl}/api/identity`;
  const session = await makeAccount(at, first, { email, role: "admin" });
  const setup = await post<{ secret: string; setup_token: string }>(`${at}/admin/2fa/setup`, undefined, session);
  const authenticator = createAuthenticator(setup.secret);
  const proof = { code: await authenticator.code(), setup_token: setup.setup_token };
  const { backup_codes: backupCodes } = await post<{ backup_codes: string[] }>(`${at}/admin/2fa/verify-setup`, proof, session);
  return { email, password: MEMBERS_PASSWORD, authenticator, backupCodes };
}

/** A member who has chosen a password. */
export async function makeMember(consoleUrl: string, first: Credentials, email: string): Promise<Credentials> {
  await makeAccount(`${consoleUrl}/api/identity`, first, { email, role: "member" });
  return { email, password: MEMBERS_PASSWORD };
}

/** An admin who has a password and no second factor yet. */
export async function makeAdminWithPassword(consoleUrl: string, first: Credentials, email: string): Promise<Credentials> {
  await makeAccount(`${consoleUrl}/api/identity`, first, { email, role: "admin" });
  return { email, password: MEMBERS_PASSWORD };
}

async function makeAccount(
  at: string,
  first: Credentials,
  { email, role }: { readonly email: string; readonly role: "admin" | "member" },
): Promise<Session> {
  const admin = await post<Session>(`${at}/login/access-token`, first);
  await post(`${at}/step-up`, { password: first.password }, admin);
  const account = { email, name: email.replace(/@.*/, ""), role };
  const { one_time_password: oneTime } = await post<{ one_time_password: string }>(`${at}/admin/users`, account, admin);
  const invited = await post<Session>(`${at}/login/access-token`, { email, password: oneTime });
  return post<Session>(`${at}/login/password`, { current_password: oneTime, new_password: MEMBERS_PASSWORD }, invited);
}

export async function post<Answer>(url: string, body?: object, session?: Session, method = "POST"): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(session === undefined ? {} : { authorization: `Bearer ${session.access_token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) {
    throw new Error(`${url} answered ${answer.status}: ${text}`);
  }
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}
