import { type FindPeopleRequest, type Person, accountsSchema, peopleSchema } from "@sightline/identity/contract";
import { type Member, type ProjectRole, memberPageSchema } from "@sightline/observability/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import { PAGE_SIZE, allPages } from "#http/all-pages.ts";
import type { Api } from "#http/api.ts";
import { pathOf } from "./projects.ts";

/** Somebody in a project; without a `person` when the account is gone. */
export type NamedMember = Member & { readonly person: Person | undefined };

/** The most that identity names at once. */
const IDS_AT_ONCE = 200;

/** Owners first, then by name. */
export function membersQuery(api: Api, projectId: string) {
  return queryOptions({
    queryKey: ["projects", projectId, "members"],
    queryFn: async ({ signal }): Promise<readonly NamedMember[]> => {
      const path = `${pathOf(projectId)}/members`;
      const members = await allPages((cursor) =>
        api.request({ part: "observability", path, query: { cursor, limit: PAGE_SIZE }, answer: memberPageSchema, signal }),
      );
      const people = await findAll(
        api,
        members.map((member) => member.user_id),
        signal,
      );
      return members
        .map((member) => ({ ...member, person: people.get(member.user_id) }))
        .toSorted((left, right) => rank(left) - rank(right) || nameOf(left).localeCompare(nameOf(right)));
    },
  });
}

async function findAll(api: Api, ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Person>> {
  const parts = Array.from({ length: Math.ceil(ids.length / IDS_AT_ONCE) }, (_, part) =>
    find(api, { ids: ids.slice(part * IDS_AT_ONCE, (part + 1) * IDS_AT_ONCE) }, signal),
  );
  return new Map((await Promise.all(parts)).flat().map((person) => [person.id, person]));
}

async function find(api: Api, body: FindPeopleRequest, signal?: AbortSignal): Promise<readonly Person[]> {
  const { people } = await api.request({ part: "identity", method: "POST", path: "/people/find", body, answer: peopleSchema, signal });
  return people;
}

export function nameOf({ person, user_id: id }: NamedMember): string {
  return person?.name ?? id;
}

const ROLE_ORDER: readonly ProjectRole[] = ["owner", "editor", "viewer"];

function rank({ role }: Member): number {
  return ROLE_ORDER.indexOf(role);
}

/** @throws {Error} when nobody of the organisation has that address. */
export async function addMember(api: Api, projectId: string, { email, role }: { readonly email: string; readonly role: ProjectRole }) {
  const [person] = await find(api, { emails: [email] });
  if (person === undefined) {
    throw new Error("Nobody in your organisation has this e-mail address. An admin can make them an account.");
  }
  await putMember(api, projectId, { userId: person.id, role });
  return person;
}

export async function putMember(
  api: Api,
  projectId: string,
  { userId, role }: { readonly userId: string; readonly role: ProjectRole },
): Promise<void> {
  await api.request({ part: "observability", method: "PUT", path: memberPath(projectId, userId), body: { role }, answer: z.unknown() });
}

export async function removeMember(api: Api, projectId: string, userId: string): Promise<void> {
  await api.request({ part: "observability", method: "DELETE", path: memberPath(projectId, userId), answer: z.unknown() });
}

function memberPath(projectId: string, userId: string): string {
  return `${pathOf(projectId)}/members/${encodeURIComponent(userId)}`;
}

const SUGGESTED = 8;

/** Accounts that a text may mean, for admins; only they may list accounts. */
export function suggestionsQuery(api: Api, search: string, isAdmin: boolean) {
  return queryOptions({
    queryKey: ["people", "suggestions", search],
    queryFn: async ({ signal }) => {
      const query = { search, limit: SUGGESTED };
      const { users } = await api.request({ part: "identity", path: "/admin/users", query, answer: accountsSchema, signal });
      return users.filter((user) => user.disabled_at === null);
    },
    enabled: isAdmin && search.length > 1,
    placeholderData: keepPreviousData,
  });
}
