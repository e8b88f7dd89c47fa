import {
  type SaveSsoRequest,
  type TestSsoRequest,
  accountsSchema,
  loginAnswerSchema,
  ssoAnswerSchema,
  ssoProvidersSchema,
  ssoTestSchema,
  startSsoAnswerSchema,
} from "@sightline/identity/contract";
import { queryOptions } from "@tanstack/react-query";
import { identity } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

/** The providers that the login page offers: of an e-mail domain, or of an installation with one organization. */
export function providersQuery(domain: string | undefined) {
  return queryOptions({
    queryKey: ["sso providers", domain ?? ""],
    queryFn: answerTo(identity.get("/login/sso", { query: { domain }, answer: ssoProvidersSchema, anonymous: true })),
    staleTime: 60_000,
  });
}

export const startSso = (providerId: string) =>
  identity.post("/login/sso/start", { body: { provider_id: providerId }, answer: startSsoAnswerSchema, anonymous: true });

/** What the provider sent the browser back with, for a session or a second step. */
export const completeSso = (query: string) => identity.post("/login/sso", { body: { query }, answer: loginAnswerSchema, anonymous: true });

/** The organization's company sign-in; for admins. */
export const ssoQuery = queryOptions({
  queryKey: ["sso"],
  queryFn: answerTo(identity.get("/admin/sso", { answer: ssoAnswerSchema })),
});

const enabledAccounts = accountsSchema.transform(({ users }) => users.filter(({ disabled_at: disabledAt }) => disabledAt === null));

/** Admins who can log in. */
export const adminsQuery = queryOptions({
  queryKey: ["sso", "admins"],
  queryFn: answerTo(identity.get("/admin/users", { query: { role: "admin", limit: 200 }, answer: enabledAccounts })),
});

export const saveSso = (body: SaveSsoRequest) => identity.put("/admin/sso", { body, answer: ssoAnswerSchema });

export const testSso = (body: TestSsoRequest) => identity.post("/admin/sso/test", { body, answer: ssoTestSchema });

export const verifyDomain = (domain: string) => identity.post("/admin/sso/domains/verify", { body: { domain }, answer: ssoAnswerSchema });

export const removeSso = identity.delete("/admin/sso");
