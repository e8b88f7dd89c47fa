import { validate as isUuid } from "uuid";
import { z } from "zod";
import type { Directory } from "#administration/act-on-account.ts";
import { emailAddress, ONE_LINE } from "#contract/parts.ts";
import type { StoredGroup } from "./groups.store.ts";
import type { Filter } from "./filter.ts";
import type { Resource } from "./patch.ts";
import type { Page, StoredPerson } from "./people.store.ts";

/** The directory of a tenant, which a request comes from. */
export type OfTenant = Directory & { readonly tenantId: string };

type Found = { readonly total: number; readonly resources: readonly Resource[] };

/** A kind of resource that directories keep here. */
export type ResourceKind = {
  readonly name: "User" | "Group";
  /** Attributes that a filter may ask for, in lower case. */
  readonly filters: readonly string[];
  readonly list: (tenantId: string, filter: Filter, page: Page) => Promise<Found>;
  /** @returns its id. */
  readonly create: (directory: OfTenant, given: Resource) => Promise<string>;
  /** Changes what is there under a lock, so that changes that come at once are all made. */
  readonly change: (directory: OfTenant, id: string, change: (present: Resource) => Resource) => Promise<void>;
  readonly remove: (directory: OfTenant, id: string) => Promise<void>;
};

export const schemaOf = (name: ResourceKind["name"]) => `urn:ietf:params:scim:schemas:core:2.0:${name}`;

/** Some text or none: what does not fit is left out, and nothing else of the resource with it. */
const text = z.string().trim().min(1).max(200).regex(ONE_LINE).optional().catch(undefined);
const externalId = z.string().min(1).max(255).regex(ONE_LINE).nullish().default(null);

/** Entra ID sends "False", and sometimes as the value of an entry. Anything else is refused: nobody stays because of a misreading. */
const active = z.preprocess(
  (given) => (Array.isArray(given) ? ((given[0] as { value?: unknown } | null | undefined)?.value ?? null) : given),
  z.union([z.boolean(), z.stringbool()]).default(true),
);

/** A person as a directory sends one; whatever else it sends is not kept. */
export const personSchema = z
  .object({
    userName: emailAddress,
    externalId,
    active,
    displayName: text,
    name: z.object({ givenName: text, familyName: text, formatted: text }).nullish().catch(undefined),
  })
  .transform(({ userName: email, displayName, name: said, ...given }) => {
    const { givenName, familyName, formatted } = said ?? {};
    const name = displayName ?? formatted ?? ([givenName, familyName].filter(Boolean).join(" ") || email).slice(0, 200);
    return { ...given, email, name, givenName: givenName ?? null, familyName: familyName ?? null };
  });
export type DirectoryPerson = z.output<typeof personSchema>;

/** A group as a directory sends one. */
export const groupSchema = z
  .object({
    displayName: z.string().trim().min(1).max(200).regex(ONE_LINE),
    externalId,
    members: z
      .array(z.object({ value: z.string().max(255) }))
      .max(10_000)
      .nullish(),
  })
  .transform(({ displayName: name, members, ...given }) => ({
    ...given,
    name,
    members: (members ?? []).flatMap(({ value }) => (isUuid(value) ? [value.toLowerCase()] : [])),
  }));

export function toUser({ id, email, name, externalId: ofDirectory, givenName, familyName, disabledAt, ...times }: StoredPerson): Resource {
  return {
    ...headOf("User", id, ofDirectory, times),
    userName: email,
    displayName: name,
    name: { formatted: name, ...(givenName === null ? {} : { givenName }), ...(familyName === null ? {} : { familyName }) },
    emails: [{ value: email, type: "work", primary: true }],
    active: disabledAt === null,
  };
}

export function toGroup({ id, name, externalId: ofDirectory, members, ...times }: StoredGroup): Resource {
  return {
    ...headOf("Group", id, ofDirectory, times),
    displayName: name,
    members: members.map((member) => ({ value: member.id, display: member.name, type: "User" })),
  };
}

type Times = { readonly createdAt: Date; readonly changedAt: Date | null };

function headOf(name: ResourceKind["name"], id: string, ofDirectory: string | null, { createdAt, changedAt }: Times): Resource {
  const meta = { resourceType: name, created: createdAt.toISOString(), lastModified: (changedAt ?? createdAt).toISOString() };
  return { schemas: [schemaOf(name)], id, ...(ofDirectory === null ? {} : { externalId: ofDirectory }), meta };
}
