import type { ParsedQuery } from "#retrieval/query/parse-query.ts";
import type { NamedMember } from "#retrieval/query/query-shape.ts";
import { numberFiles, type Candidate } from "./candidate.ts";

type DefinitionQuery = Pick<ParsedQuery, "member" | "text">;

/**
 * The candidates that define what a query names, 1 for those that fit it best and 0.5 for others. `Server.stop` and `Server stop` mean the
 * `stop` in a file that defines `Server`; where there is
 * none, only the first of them is known to be a name, and whatever defines `stop`, or else `Server`, is meant. Words that are one name when they
 * are joined mean that: `server stop` may be `stopServer`.
 */
export function findDefinition(candidates: readonly Candidate[], { member, text }: DefinitionQuery): ReadonlyMap<Candidate, number> {
  // Few names are long enough to be all that a question says.
  const defining = (length: number, isMeant: (name: string) => boolean) =>
    candidates.filter(({ chunk }) => chunk.symbols.some((symbol) => symbol.length * GROWS >= length && namesOf(symbol).some(isMeant)));
  // Other letters only where nothing has those that were written.
  const named = (asked: string) => {
    const exactly = defining(asked.length, (name) => name === asked);
    const lower = asked.toLowerCase();
    return exactly.length > 0 ? exactly : defining(lower.length, (name) => name.toLowerCase() === lower);
  };
  const wholes = [text, ...(member?.owner === undefined ? [] : [member.name + member.owner])].map(joined);
  const shortest = Math.min(...wholes.map(({ length }) => length));
  const whole = /\s|-/.test(text) ? defining(shortest, (name) => wholes.includes(joined(name))) : [];
  if (whole.length > 0 || member === undefined) {
    return all(whole);
  }
  const members = named(member.name);
  if (member.owner === undefined) {
    return closest(members, member);
  }
  const owners = named(member.owner);
  const files = numberFiles([...owners, ...members]);
  const ofOwners = new Set(files.slice(0, owners.length));
  const own = members.filter((each, index) => ofOwners.has(files[owners.length + index] ?? -1) || isOf(member.owner, each));
  return all([own, ...(member.isWritten ? [members, owners] : [])].find((found) => found.length > 0) ?? []);
}

/** The name that a query is, where it begins as those of types. */
export function typeAskedFor({ member }: Pick<ParsedQuery, "member">): string | undefined {
  return member !== undefined && /^\p{Lu}/u.test(member.name) ? member.name : undefined;
}

function all(candidates: readonly Candidate[]): ReadonlyMap<Candidate, number> {
  return new Map(candidates.map((each) => [each, 1]));
}

/** Types before methods and fields of the name, where types were asked for; then what stands in the file that is named so. */
function closest(candidates: readonly Candidate[], member: NamedMember): ReadonlyMap<Candidate, number> {
  const asked = typeAskedFor({ member });
  const closeness = ({ chunk }: Candidate) => {
    const isType = asked !== undefined && chunk.types.some((type) => namesOf(type).includes(asked));
    const file = chunk.path.slice(chunk.path.lastIndexOf("/") + 1);
    return (isType ? 2 : 0) + (joined(file.slice(0, file.lastIndexOf("."))) === joined(member.name) ? 1 : 0);
  };
  const found = candidates.map((each) => [each, closeness(each)] as const);
  const best = Math.max(...found.map(([, close]) => close));
  return new Map(found.map(([each, close]) => [each, close === best ? 1 : 0.5]));
}

/** A letter in lower case is two at the most: of all letters only the capital I with a dot is. */
const GROWS = 2;

/** Words as one, whichever way they were joined: `server_stop` and `server stop` as `serverStop`. */
function joined(words: string): string {
  return words.replaceAll(/[\s_-]/g, "").toLowerCase();
}

/** C++ defines `Cache::Find` outside of its class: whoever asks for `Find` asks for that, too. */
function namesOf(symbol: string): readonly string[] {
  return [symbol, symbol.split(/::|\.|#/).at(-1) ?? symbol];
}

/** `Cache::Find` is of `Cache`, and so is what a file called `cache` defines. */
function isOf(owner = "", { chunk }: Candidate): boolean {
  const file = chunk.path.slice(chunk.path.lastIndexOf("/") + 1).toLowerCase();
  const beginning = owner.toLowerCase();
  return file.startsWith(`${beginning}.`) || chunk.symbols.some((symbol) => symbol.toLowerCase().startsWith(`${beginning}::`));
}
