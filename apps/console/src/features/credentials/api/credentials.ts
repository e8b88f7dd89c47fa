import { type CreateCredentialRequest, credentialSchema, toPageSchema, testedCredentialSchema } from "@sightline/code-index/contract";
import { queryOptions } from "@tanstack/react-query";
import { codeIndex, encoded } from "#http/calls.ts";
import { readAllPages } from "#http/queries.ts";

const CREDENTIALS = "/api/v1/credentials";
const pathOf = (id: string) => CREDENTIALS + encoded`/${id}`;

/** For admins alone. */
export const credentialsQuery = queryOptions({
  queryKey: ["credentials"],
  queryFn: readAllPages(codeIndex.get(CREDENTIALS, { answer: toPageSchema(credentialSchema) })),
});

export const createCredential = (body: CreateCredentialRequest) => codeIndex.post(CREDENTIALS, { body, answer: credentialSchema });

export const replaceSecret = (id: string, secret: string) => codeIndex.put(pathOf(id), { body: { secret }, answer: credentialSchema });

export const deleteCredential = (id: string) => codeIndex.delete(pathOf(id), { answer: credentialSchema });

/** Whether it opens the repository at this address. */
export const testCredential = (id: string, cloneUrl: string) =>
  codeIndex.post(`${pathOf(id)}/test`, { body: { clone_url: cloneUrl }, answer: testedCredentialSchema });
