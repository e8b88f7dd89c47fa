import {
  type AccountItem,
  type ChangeAccountRequest,
  type CreateAccountRequest,
  accountSchema,
  accountsSchema,
  createAccountAnswerSchema,
  resetPasswordAnswerSchema,
} from "@sightline/identity/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { encoded, identity } from "#http/calls.ts";
import { answerTo, pageByPage } from "#http/queries.ts";

export type Role = AccountItem["role"];

export type AccountFilter = { readonly search: string | undefined; readonly role: Role | undefined };

const ACCOUNTS = "/admin/users";
const PAGE_SIZE = 50;
const pathOf = (id: string) => ACCOUNTS + encoded`/${id}`;

/** The beginning of the key of every list of accounts. */
export const ACCOUNTS_KEY = ["accounts"] as const;

export function accountsQuery(filter: AccountFilter) {
  const call = identity.get(ACCOUNTS, { query: { ...filter, limit: PAGE_SIZE }, answer: accountsSchema });
  return { ...pageByPage([...ACCOUNTS_KEY, filter.search, filter.role], call), placeholderData: keepPreviousData };
}

export function accountQuery(id: string) {
  return queryOptions({
    queryKey: [...ACCOUNTS_KEY, "one", id],
    queryFn: answerTo(identity.get(pathOf(id), { answer: accountSchema })),
  });
}

export const createAccount = (body: CreateAccountRequest) => identity.post(ACCOUNTS, { body, answer: createAccountAnswerSchema });

export const changeAccount = (id: string, body: ChangeAccountRequest) => identity.patch(pathOf(id), { body, answer: accountSchema });

/** Resets the password by a mailed link, or else by a one-time password. */
export const resetPassword = (id: string, mail: boolean) =>
  identity.post(`${pathOf(id)}/password-reset`, { body: { mail }, answer: resetPasswordAnswerSchema });

export const resetSecondFactor = (id: string, reason: string) =>
  identity.post(`${pathOf(id)}/2fa/reset`, { body: { reason }, answer: accountSchema });

/** Takes back what waits for another admin. */
export const takeBack = (id: string) => identity.delete(`${pathOf(id)}/waiting`, { answer: accountSchema });

/** Lifts the lock that too many wrong codes put on the account. */
export const unlockSecondFactor = (id: string) => identity.post(`${pathOf(id)}/2fa/unlock`, { answer: accountSchema });

/** @returns the account while its deletion waits for another admin. */
export const deleteAccount = (id: string) => identity.delete(pathOf(id), { answer: accountSchema.optional() });
