import { MENTION } from "@sightline/observability/contract";

/** Somebody who can be mentioned, by the name as it is typed. */
export type Mentionable = { readonly id: string; readonly name: string };

/** Two of one name are told apart by what follows it. */
export function tellApart(people: readonly Mentionable[]): readonly Mentionable[] {
  const seen = new Map<string, number>();
  return people.map(({ id, name }) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return { id, name: times === 1 ? name : `${name} (${times})` };
  });
}

/** The typed text, with the accounts' ids in place of names after an @; of two names of which one begins the other the longer is meant. */
export function toStored(typed: string, people: readonly Mentionable[]): string {
  const names = people.map(({ name }) => name).toSorted((a, b) => b.length - a.length);
  if (names.length === 0) {
    return typed;
  }
  const written = names.map((name) => name.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join("|");
  const ids = new Map(people.map(({ id, name }) => [name, id]));
  return typed.replaceAll(new RegExp(`@(${written})(?![\\p{L}\\p{N}])`, "gu"), (mention, name: string) => `@${ids.get(name) ?? mention}`);
}

/** The reverse, to be edited; whoever can't be mentioned any more stays an id. */
export const toTyped = (stored: string, people: readonly Mentionable[]) =>
  stored.replaceAll(MENTION, (mention, id: string) => `@${people.find((person) => person.id === id)?.name ?? mention.slice(1)}`);

type Piece = { readonly text: string; readonly is: "text" | "link" | "mention" };

const LINK = /[Hh]ttps?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}]/;
const PIECES = new RegExp(`(${LINK.source}|${MENTION.source.replace("(", "(?:")})`);

/** A comment's text, its links and its mentions (their accounts' ids), in order. */
export function cutComment(stored: string): readonly Piece[] {
  return stored.split(PIECES).flatMap((text, index): readonly Piece[] => {
    const is = index % 2 === 0 ? "text" : text.startsWith("@") ? "mention" : "link";
    return text === "" ? [] : [{ is, text: is === "mention" ? text.slice(1) : text }];
  });
}
