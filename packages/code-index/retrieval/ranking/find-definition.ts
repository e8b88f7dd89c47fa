import type { NamedMember } from "#retrieval/query/query-shape.ts";
import { fileOf, type Candidate } from "./candidate.ts";

/**
 * The candidates that define what a query names. `Server.stop` and `Server stop` mean the `stop` in a file that defines `Server`; where there is
 * none, only the first of them is known to be a name, and whatever defines `stop`, or else `Server`, is meant.
 */
export function findDefinition(candidates: readonly Candidate[], asked: NamedMember | undefined): ReadonlySet<Candidate> {
  if (asked === undefined) {
    return new Set();
  }
  const defining = (name: string) =>
    candidates.filter(({ chunk }) => chunk.symbols.some((symbol) => namesOf(symbol).includes(name.toLowerCase())));
  const members = defining(asked.name);
  if (asked.owner === undefined) {
    return new Set(members);
  }
  const owners = defining(asked.owner);
  const files = new Set(owners.map(fileOf));
  const own = members.filter((member) => files.has(fileOf(member)) || isOf(asked.owner, member));
  const closest = [own, ...(asked.isWritten ? [members, owners] : [])].find((found) => found.length > 0);
  return new Set(closest);
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
