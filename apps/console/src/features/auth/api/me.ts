import { type Me, meSchema } from "@sightline/identity/contract";
import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { identity } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: answerTo(identity.get("/login/me", { answer: meSchema })),
  staleTime: 60_000,
});

/** The account that is logged in; the gate of the signed-in pages has asked before they are shown. */
export const useMe = () => useSuspenseQuery(meQuery).data;

/** Whether nothing opens before a second factor is set up, by the policy of the organization. */
export function mustSetUpSecondFactor({ second_factor_due: due }: Pick<Me, "second_factor_due">, now: Date = new Date()): boolean {
  return due !== null && new Date(due) <= now;
}

/** The one page that opens before all others, where there is one: a one-time password is replaced first, then a second factor set up. */
export function findRequiredPage(me: Pick<Me, "must_change_password" | "second_factor_due">) {
  if (me.must_change_password) {
    return "/account/password";
  }
  return mustSetUpSecondFactor(me) ? "/admin/security" : undefined;
}
