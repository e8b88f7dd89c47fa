import {
  type CreateCredentialRequest,
  type Credential,
  credentialSchema,
  pageOf,
  testedCredentialSchema,
} from "@sightline/code-index/contract";
import { queryOptions } from "@tanstack/react-query";
import { PAGE_SIZE, allPages } from "#http/all-pages.ts";
import type { Api } from "#http/api.ts";

const CREDENTIALS = "/api/v1/credentials";

/** For admins alone. */
export function credentialsQuery(api: Api) {
  return queryOptions({
    queryKey: ["credentials"],
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        api.request({
          part: "code-index",
          path: CREDENTIALS,
          query: { cursor, limit: PAGE_SIZE },
          answer: pageOf(credentialSchema),
          signal,
        }),
      ),
  });
}

export function createCredential(api: Api, body: CreateCredentialRequest): Promise<Credential> {
  return api.request({ part: "code-index", method: "POST", path: CREDENTIALS, body, answer: credentialSchema });
}

export function replaceSecret(api: Api, id: string, secret: string): Promise<Credential> {
  return api.request({ part: "code-index", method: "PUT", path: pathOf(id), body: { secret }, answer: credentialSchema });
}

export function deleteCredential(api: Api, id: string): Promise<Credential> {
  return api.request({ part: "code-index", method: "DELETE", path: pathOf(id), answer: credentialSchema });
}

/** Whether it opens the repository at this address. */
export function testCredential(api: Api, id: string, cloneUrl: string) {
  return api.request({
    part: "code-index",
    method: "POST",
    path: `${pathOf(id)}/test`,
    body: { clone_url: cloneUrl },
    answer: testedCredentialSchema,
  });
}

function pathOf(id: string): string {
  return `${CREDENTIALS}/${encodeURIComponent(id)}`;
}
