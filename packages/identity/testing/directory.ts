import { decodeJwt } from "jose";
import { createSsoAdmin, saveSso, settingsFor } from "./company-tenant.ts";
import { ask, type Person } from "./administration.ts";
import type { IdentityFixture } from "./identity-fixture.ts";

const ISSUER = { issuer: "https://login.acme.example", clients: [{ id: "sightline", secret: "secret-of-the-company" }] };

/** A directory of a company that has proven its domain. */
export type Directory = {
  readonly admin: Person;
  readonly tenantId: string;
  readonly send: (method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object) => ReturnType<typeof ask>;
  /** Asserts that it was done. @returns what was answered. */
  readonly done: <Answer = Resource>(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object) => Promise<Answer>;
};

export type Resource = { readonly id: string; readonly [attribute: string]: unknown };

export async function createDirectory(subject: IdentityFixture, tenant = "default", domain = "acme.example"): Promise<Directory> {
  const admin = await createSsoAdmin(subject, `root@${tenant}-admins.example`, tenant);
  await saveSso(
    subject,
    admin,
    settingsFor(ISSUER, { domains: [domain], role_claim: "groups", admin_values: ["Admins of Sightline", "id-of-admins"] }),
  );
  return { admin, tenantId: decodeJwt<{ tid: string }>(admin.token).tid, ...directoryWith(subject, await makeToken(subject, admin)) };
}

/** A new token, which ends the one before. */
export async function makeToken({ server }: IdentityFixture, admin: Person): Promise<string> {
  return (await ask(server, admin, "POST", "/admin/scim/token")).json<{ secret: string }>().secret;
}

export function directoryWith({ server }: IdentityFixture, secret: string): Pick<Directory, "send" | "done"> {
  const send: Directory["send"] = (method, path, body) =>
    server.inject({
      method,
      url: `/scim/v2${path}`,
      headers: { authorization: `Bearer ${secret}`, ...(body === undefined ? {} : { "content-type": "application/scim+json" }) },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
  return {
    send,
    done: async <Answer>(...request: Parameters<Directory["send"]>) => {
      const answer = await send(...request);
      if (answer.statusCode >= 300) {
        throw new Error(`${request[0]} ${request[1]}: ${answer.statusCode} ${answer.body}`);
      }
      return (answer.statusCode === 204 ? undefined : answer.json()) as Answer;
    },
  };
}

export const patchOf = (...Operations: readonly object[]) => ({ schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations });
