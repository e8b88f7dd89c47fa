import { type ChangePasswordRequest, fullSessionSchema } from "@sightline/identity/contract";
import type { Api } from "#http/api.ts";

/** Sets a new password. It ends every session, so the answer begins a new one. */
export async function changePassword(api: Api, passwords: ChangePasswordRequest): Promise<void> {
  const session = await api.request({
    part: "identity",
    method: "POST",
    path: "/login/password",
    body: passwords,
    answer: fullSessionSchema,
  });
  api.signIn(session.access_token);
}
