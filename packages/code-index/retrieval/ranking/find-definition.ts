import type { ParsedQuery } from "#retrieval/query/parse-query.ts";
import { numberFiles, type Candidate } from "./candidate.ts";

type DefinitionQuery = Pick<ParsedQuery, "member" | "text">;

/**
 * The candidates that define what a query names. `Server.stop` and `Server stop` mean the `stop` in a file that defines `Server`; where there is
 * none, only the first of them is known to be a name, and whatever defines `stop`, or else `Server`, is meant. Words that are one name when they
 * are joined mean that: `server stop` may be `stopServer`.
 */
export function findDefinition(candidates: readonly Candidate[], { member, text }: DefinitionQuery): ReadonlySet<Candidate> {
  // Few names are long enough to be all that a question says.
  const defining = (length: number, isMeant: (name: string) => boolean) =>
    candidates.filter(({ chunk }) => chunk.symbols.some((symbol) => symbol.length * GROWS >= length && namesOf(symbol).some(isMeant)));
  const named = (asked: string) => {
    const lower = asked.toLowerCase();
    return defining(lower.length, (name) => name === lower);
  };
  const wholes = [text, ...(member?.owner === undefined ? [] : [member.name + member.owner])].map(joined);
  const shortest = Math.min(...wholes.map(({ length }) => length));
  const whole = /\s|-/.test(text) ? defining(shortest, (name) => wholes.includes(joined(name))) : [];
  if (whole.length > 0 || member === undefined) {
    return new Set(whole);
  }
  const members = named(member.name);
  if (member.owner === undefined) {
    return new Set(members);
  }
  const owners = named(member.owner);
  const files = numberFiles([...owners, ...members]);
  const ofOwners = new Set(files.slice(0, owners.length));
  const own = members.filter((each, index) => ofOwners.has(files[owners.length + index] ?? -1) || isOf(member.owner, each));
  const closest = [own, ...(member.isWritten ? [members, owners] : [])].find((found) => found.length > 0);
  return new Set(closest);
}

/** A letter in lower case is two at the most: of all letters only the capital I with a dot is. */
const GROWS = 2;

/** Words as one, whichever way they were joined: `server_stop` and `server stop` as `serverStop`. */
function joined(words: string): string {
  return words.replaceAll(/[\s_-]/g, "").toLowerCase();
}

/** C++ defines `Cache::Find` outside of its class: whoever asks for `Find` asks for that, too. */
function namesOf(symbol: string): readonly string[] {
  const whole = symbol.toLowerCase();
  return [whole, whole.split(/::|\.|#/).at(-1) ?? whole];
}

/** `Cache::Find` is of `Cache`, and so is what a file called `cache` defines. */
function isOf(owner = "", { chunk }: Candidate): boolean {
  const file = chunk.path.slice(chunk.path.lastIndexOf("/") + 1).toLowerCase();
  const beginning = owner.toLowerCase();
  return file.startsWith(`${beginning}.`) || chunk.symbols.some((symbol) => symbol.toLowerCase().startsWith(`${beginning}::`));
}
