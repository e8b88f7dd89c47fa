import { refusal } from "@sightline/foundation/errors";

/** One comparison and what joins the next one, e.g. `emails[type eq "work"].value eq "ada@acme.example" and `. */
const COMPARISON = /^\s*(?<attribute>[\w$.:-]+(?:\[[^\]]*\])?(?:\.\w+)?)\s+eq\s+(?<value>"(?:[^"\\]|\\.)*"|true|false)\s*(?:$|and\s+)/i;

/** Values by attribute, in lower case; all of them have to be so. */
export type Filter = ReadonlyMap<string, string>;

/**
 * Reads a filter (RFC 7644, 3.4.2.2) as directories send them: comparisons by `eq`, with `and` between.
 *
 * @param known attributes that can be asked for, in lower case, without URNs and conditions in brackets.
 * @throws {AppError} 400 `invalidFilter`.
 */
export function readFilter(text: string, known: readonly string[]): Filter {
  const filter = new Map<string, string>();
  for (let rest = text; rest !== ""; rest = rest.replace(COMPARISON, "")) {
    const { attribute = "", value = "" } = COMPARISON.exec(rest)?.groups ?? {};
    const name = attribute.replace(/^urn:.*:|\[.*\]/gi, "").toLowerCase();
    if (!known.includes(name)) {
      const names = known.map((one) => `${one} eq "…"`).join(", ");
      throw refusal(400, "invalidFilter", `This filter is not understood. Understood are ${names}, with “and” between them.`);
    }
    filter.set(name, value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)|\0/g, "$1") : value.toLowerCase());
  }
  return filter;
}
