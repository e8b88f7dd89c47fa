const NAMED = 5;

/** The names that are most like one, the likest first; the newest version first where they are alike. */
export function nearestNames(wanted: string, names: readonly string[]): readonly string[] {
  const sought = pairsOf(wanted);
  return names
    .map((name) => ({ name, likeness: likeness(sought, pairsOf(name)) }))
    .toSorted((one, other) => other.likeness - one.likeness || other.name.localeCompare(one.name, "en", { numeric: true }))
    .slice(0, NAMED)
    .map(({ name }) => name);
}

/** Neighbouring characters, the edges of the name among them; `v1.2` and `1.2` begin alike. */
function pairsOf(name: string): ReadonlySet<string> {
  const text = ` ${name.toLowerCase().replace(/^v(?=\d)/u, "")} `;
  return new Set(Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)));
}

/** Dice's coefficient. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return (2 * [...one].filter((pair) => other.has(pair)).length) / (one.size + other.size);
}
