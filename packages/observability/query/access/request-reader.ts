import { getPrincipal, type Principal } from "@sightline/foundation/http/principal";
import type { Reader } from "#store/reader.ts";

type Request = Parameters<typeof getPrincipal>[0];
type UserReader = Extract<Reader, { readonly kind: "user" }>;

/** Returns the reader of a request, for routes of every auth class that opens projects. */
export function getReader(request: Request): Reader {
  const principal = getPrincipal(request);
  switch (principal.kind) {
    case "operator":
      return { kind: "operator" };
    case "user":
      return toUserReader({ ...principal, isAdmin: principal.role === "admin" });
    case "project-key":
      return {
        kind: "project-key",
        tenantId: principal.tenantId,
        projectId: principal.projectId,
        keyId: principal.keyId,
        canChange: principal.canChange,
        canRelease: principal.canRelease,
      };
    case "developer-token":
      throw new Error(`${request.routeOptions.url ?? request.url} is not for developer tokens, but its auth class let one through`);
    default:
      return principal satisfies never;
  }
}

const ROLES = { read: "viewer", write: "editor", admin: "owner" } as const;

type Somebody = { readonly tenantId: string; readonly userId: string; readonly isAdmin: boolean } & Pick<User, "projects">;
type User = Extract<Principal, { readonly kind: "user" }>;

/** A person, with the roles that their groups give. */
export function toUserReader({ tenantId, userId, isAdmin, projects = [] }: Somebody): UserReader {
  return { kind: "user", tenantId, userId, isAdmin, granted: projects.map(({ id, level }) => ({ id, role: ROLES[level] })) };
}

/** Returns the user of a request, for routes of the auth class `user`. */
export function getUserReader(request: Request): UserReader {
  const reader = getReader(request);
  if (reader.kind !== "user") {
    throw new Error(`${request.routeOptions.url ?? request.url} is for people, its auth class let a ${reader.kind} through`);
  }
  return reader;
}

/** The id under which a reader's changes are recorded. */
export function toAuthor(reader: Reader): string {
  switch (reader.kind) {
    case "operator":
      return "operator";
    case "user":
      return reader.userId;
    case "project-key":
      return `key:${reader.keyId}`;
    default:
      return reader satisfies never;
  }
}

/** The user or key that limits are counted for. */
export function toLimitOwner(principal: Principal): string {
  switch (principal.kind) {
    case "user":
      return `${principal.tenantId} ${principal.userId}`;
    case "project-key":
      return principal.keyId;
    case "developer-token":
      return principal.tokenId;
    case "operator":
      return "operator";
    default:
      return principal satisfies never;
  }
}
