import { type ChangePolicyRequest, policySchema } from "@sightline/identity/contract";
import { queryOptions } from "@tanstack/react-query";
import { identity } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

/** What the organization asks of its admins; for admins. */
export const policyQuery = queryOptions({
  queryKey: ["policy"],
  queryFn: answerTo(identity.get("/admin/policy", { answer: policySchema })),
});

export const changePolicy = (body: ChangePolicyRequest) => identity.put("/admin/policy", { body, answer: policySchema });
