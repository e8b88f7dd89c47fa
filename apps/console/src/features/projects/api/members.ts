import { type FindPeopleRequest, type Person, accountsSchema, peopleSchema } from "@sightline/identity/contract";
import { type Member, type ProjectRole, memberPageSchema } from "@sightline/observability/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";
import { encoded, identity, observability } from "#http/calls.ts";
import { answerTo, ask, askForAll } from "#http/queries.ts";

/** Somebody in a project; without a `person` when the account is gone. */
export type NamedMember = Member & { readonly person: Person | undefined };

/** The most that identity names at once. */
const IDS_AT_ONCE = 200;

const membersOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/members`;

/** Owners first, then by name. */
export function membersQuery(projectId: string) {
  return queryOptions({
    queryKey: ["projects", projectId, "members"],
    queryFn: async (context): Promise<readonly NamedMember[]> => {
      const members = await askForAll(context, observability.get(membersOf(projectId), { answer: memberPageSchema }));
      const ids = members.map((member) => member.user_id);
      const parts = Array.from({ length: Math.ceil(ids.length / IDS_AT_ONCE) }, (_, part) =>
        ask(context, findPeople({ ids: ids.slice(part * IDS_AT_ONCE, (part + 1) * IDS_AT_ONCE) })),
      );
      const people = new Map((await Promise.all(parts)).flat().map((person) => [person.id, person]));
      return members
        .map((member) => ({ ...member, person: people.get(member.user_id) }))
        .toSorted((left, right) => rank(left) - rank(right) || formatMember(left).localeCompare(formatMember(right)));
    },
  });
}

const findPeople = (body: FindPeopleRequest) =>
  identity.post("/people/find", { body, answer: peopleSchema.transform(({ people }) => people) });

/** Somebody's name by the id of their account; null when the account is gone. */
export function personQuery(id: string) {
  return queryOptions({
    queryKey: ["people", id],
    queryFn: async (context) => (await ask(context, findPeople({ ids: [id] })))[0]?.name ?? null,
    staleTime: Infinity,
  });
}

export function formatMember({ person, user_id: id }: NamedMember): string {
  return person?.name ?? id;
}

const ROLE_ORDER: readonly ProjectRole[] = ["owner", "editor", "viewer"];

function rank({ role }: Member): number {
  return ROLE_ORDER.indexOf(role);
}

/** @throws {Error} when nobody of the organization has that address. */
export async function addMember(api: Api, projectId: string, { email, role }: { readonly email: string; readonly role: ProjectRole }) {
  const [person] = await api.request(findPeople({ emails: [email] }));
  if (person === undefined) {
    throw new Error("Nobody in your organization has this e-mail address. An admin can create an account for them.");
  }
  await api.request(putMember(projectId, person.id, role));
  return person;
}

export const putMember = (projectId: string, userId: string, role: ProjectRole) =>
  observability.put(membersOf(projectId) + encoded`/${userId}`, { body: { role } });

export const removeMember = (projectId: string, userId: string) => observability.delete(membersOf(projectId) + encoded`/${userId}`);

const SUGGESTED = 8;

/** Accounts that a text may mean, for admins; only they may list accounts. */
export function suggestionsQuery(search: string, isAdmin: boolean) {
  const active = accountsSchema.transform(({ users }) => users.filter((user) => user.disabled_at === null));
  return queryOptions({
    queryKey: ["people", "suggestions", search],
    queryFn: answerTo(identity.get("/admin/users", { query: { search, limit: SUGGESTED }, answer: active })),
    enabled: isAdmin && search.length > 1,
    placeholderData: keepPreviousData,
  });
}
