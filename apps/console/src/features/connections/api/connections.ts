import { type ConsentAnswer, connectionsSchema, consentedSchema, consentQuestionSchema } from "@sightline/identity/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, identity } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

const CONNECTIONS = "/login/connections";

export const connectionsQuery = queryOptions({
  queryKey: ["connections"],
  queryFn: answerTo(identity.get(CONNECTIONS, { answer: connectionsSchema.transform(({ connections }) => connections) })),
});

export const endConnection = (id: string) => identity.delete(CONNECTIONS + encoded`/${id}`);

const consentPath = (uid: string) => encoded`/oauth/interactions/${uid}/consent`;

/** What an app asks; it is asked for once, since the answer to it is given once. */
export const consentQuestionQuery = (uid: string) =>
  queryOptions({
    queryKey: ["consent", uid],
    queryFn: answerTo(identity.get(consentPath(uid), { answer: consentQuestionSchema })),
    retry: false,
    staleTime: Infinity,
  });

export const answerConsent = (uid: string, body: ConsentAnswer) => identity.post(consentPath(uid), { body, answer: consentedSchema });
