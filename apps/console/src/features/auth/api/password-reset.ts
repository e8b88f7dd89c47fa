import { loginOptionsSchema } from "@sightline/identity/contract";
import { queryOptions } from "@tanstack/react-query";
import { identity } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

/** What the login page may offer. */
export const loginOptionsQuery = queryOptions({
  queryKey: ["login options"],
  queryFn: answerTo(identity.get("/login/options", { answer: loginOptionsSchema, anonymous: true })),
  staleTime: Infinity,
});

/** Asks for a mail with a link; the answer is the same whether there is such an account or not. */
export const requestPasswordReset = (email: string) => identity.post("/login/password-reset", { body: { email }, anonymous: true });

/** Sets the password with the token of a mailed link. It begins no session: the login follows, second factor and all. */
export const confirmPasswordReset = (token: string, newPassword: string) =>
  identity.post("/login/password-reset/confirm", { body: { token, new_password: newPassword }, anonymous: true });
