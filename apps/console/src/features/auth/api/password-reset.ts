import { loginOptionsSchema } from "@sightline/identity/contract";
import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import type { Api } from "#http/api.ts";

/** What the login page may offer. */
export function loginOptionsQuery(api: Api) {
  return queryOptions({
    queryKey: ["login options"],
    queryFn: ({ signal }) => api.request({ part: "identity", path: "/login/options", answer: loginOptionsSchema, anonymous: true, signal }),
    staleTime: Infinity,
  });
}

/** Asks for a mail with a link; the answer is the same whether there is such an account or not. */
export async function requestPasswordReset(api: Api, email: string): Promise<void> {
  await api.request({
    part: "identity",
    method: "POST",
    path: "/login/password-reset",
    body: { email },
    answer: z.unknown(),
    anonymous: true,
  });
}

/** Sets the password with the token of a mailed link. It begins no session: the login follows, second factor and all. */
export async function confirmPasswordReset(api: Api, token: string, newPassword: string): Promise<void> {
  await api.request({
    part: "identity",
    method: "POST",
    path: "/login/password-reset/confirm",
    body: { token, new_password: newPassword },
    answer: z.unknown(),
    anonymous: true,
  });
}
