import type { Resource } from "./patch.ts";
import { schemaOf, type ResourceKind } from "./resources.ts";

/** Attributes that are kept, and the parts of those that have some. All are read and written. */
const ATTRIBUTES = {
  User: { userName: [], externalId: [], displayName: [], name: ["formatted", "givenName", "familyName"], emails: ["value"], active: [] },
  Group: { displayName: [], externalId: [], members: ["value", "display"] },
} as const satisfies Readonly<Record<ResourceKind["name"], Readonly<Record<string, readonly string[]>>>>;
const NAMES = ["User", "Group"] as const;

export function toList(Resources: readonly Resource[], totalResults = Resources.length, startIndex = 1): Resource {
  const schemas = ["urn:ietf:params:scim:api:messages:2.0:ListResponse"];
  return { schemas, totalResults, startIndex, itemsPerPage: Resources.length, Resources };
}

/** What tells a directory what this server is (RFC 7643, 5 to 7), by what follows /scim/v2/ in the address. */
export function describeServer(): Readonly<Record<string, Resource>> {
  const types = NAMES.map((name) => ({ schemas: [typeOf("ResourceType")], id: name, name, endpoint: `/${name}s`, schema: schemaOf(name) }));
  const schemas = NAMES.map((name) => {
    return { schemas: [typeOf("Schema")], id: schemaOf(name), name, attributes: Object.entries(ATTRIBUTES[name]).map(toAttribute) };
  });
  const [no, patch] = [{ supported: false }, { supported: true }];
  const token = { type: "oauthbearertoken", name: "Bearer token", description: "An admin makes it in Sightline.", primary: true };
  const limits = { bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 }, filter: { ...patch, maxResults: 200 } };
  const config = { schemas: [typeOf("ServiceProviderConfig")], patch, ...limits, changePassword: no, sort: no, etag: no };
  return {
    ServiceProviderConfig: { ...config, authenticationSchemes: [token] },
    ResourceTypes: toList(types),
    Schemas: toList(schemas),
  };
}

const typeOf = (name: string) => `urn:ietf:params:scim:schemas:core:2.0:${name}`;

function toAttribute([name, parts]: readonly [string, readonly string[]]): Resource {
  const type = name === "active" ? "boolean" : parts.length > 0 ? "complex" : "string";
  const always = { caseExact: false, mutability: "readWrite", returned: "default", uniqueness: name === "userName" ? "server" : "none" };
  const subAttributes = parts.length === 0 ? {} : { subAttributes: parts.map((part) => toAttribute([part, []])) };
  return { name, type, multiValued: ["emails", "members"].includes(name), required: name === "userName", ...always, ...subAttributes };
}
