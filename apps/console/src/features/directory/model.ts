import type { Rights } from "@sightline/identity/contract";

export type Level = NonNullable<Rights["groups"]>[number]["level"];

export type Person = { readonly id: string; readonly name: string; readonly email: string };
/** Somebody who may see it, and each way by which that is so. */
export type Seer = Person & { readonly why: readonly string[] };

export type Way = { readonly why: string; readonly people: readonly Person[] };

/** Everybody whom a way lets in, once, by name. */
export function listSeers(ways: readonly Way[]): readonly Seer[] {
  const seers = new Map<string, Seer>();
  for (const { why, people } of ways) {
    for (const { id, name, email } of people) {
      seers.set(id, { id, name, email, why: [...(seers.get(id)?.why ?? []), why] });
    }
  }
  return [...seers.values()].toSorted((left, right) => left.name.localeCompare(right.name) || left.email.localeCompare(right.email));
}
