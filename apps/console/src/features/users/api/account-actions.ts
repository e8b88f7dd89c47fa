import {
  type ChangeAccountRequest,
  type CreateAccountRequest,
  accountSchema,
  createAccountAnswerSchema,
  resetPasswordAnswerSchema,
} from "@sightline/identity/contract";
import { z } from "zod";
import type { Api } from "#http/api.ts";

type WithStepUp = <Result>(action: () => Promise<Result>) => Promise<Result>;

export type AccountActions = ReturnType<typeof accountActions>;

/** What an admin does to accounts; all of it asks for password and code when that was long ago. */
export function accountActions(api: Api, withStepUp: WithStepUp) {
  function post<Answer>(path: string, answer: z.ZodType<Answer>, body?: unknown): Promise<Answer> {
    return withStepUp(() => api.request({ part: "identity", method: "POST", path, answer, body }));
  }
  return {
    create: (account: CreateAccountRequest) => post("/admin/users", createAccountAnswerSchema, account),
    change: (id: string, changes: ChangeAccountRequest) =>
      withStepUp(() => api.request({ part: "identity", method: "PATCH", path: pathOf(id), body: changes, answer: accountSchema })),
    /** By a mailed link, or else by a one-time password. */
    resetPassword: (id: string, mail: boolean) => post(`${pathOf(id)}/password-reset`, resetPasswordAnswerSchema, { mail }),
    resetSecondFactor: (id: string, reason: string) => post(`${pathOf(id)}/2fa/reset`, z.unknown(), { reason }),
    remove: (id: string) => withStepUp(() => api.request({ part: "identity", method: "DELETE", path: pathOf(id), answer: z.unknown() })),
  };
}

function pathOf(id: string): string {
  return `/admin/users/${encodeURIComponent(id)}`;
}
