import type { Node, Query } from "web-tree-sitter";

/** A name that a text defines, or that what is in it stands under. Places count UTF-16 units. */
export type Definition = {
  readonly name: string;
  readonly kind: string;
  readonly nameAt: number;
  readonly from: number;
  readonly to: number;
};

type Names = {
  /** In the order of their names. */
  readonly definitions: readonly Definition[];
  /** Names that are used, each once, in the order of their first use. */
  readonly references: readonly string[];
};

/** Longer ones are no names. */
const LONGEST_NAME = 200;
/** More are of no use in a search for who uses a name. */
const MOST_REFERENCES = 500;

/** The names that a syntax tree defines and uses. */
export function findNames(root: Node, query: Query, text: string): Names {
  const definitions = new Map<number, Definition>();
  const used = new Map<number, number>();
  for (const { captures } of query.matches(root)) {
    const [first] = captures;
    if (first?.name === "used") {
      used.set(first.node.startIndex, first.node.endIndex);
      continue;
    }
    const name = captures.find((capture) => capture.name === "name")?.node;
    const whole = captures.find((capture) => capture.name !== "name" && capture.name !== "keyword");
    if (name === undefined || whole === undefined || name.endIndex - name.startIndex > LONGEST_NAME || definitions.has(name.startIndex)) {
      continue;
    }
    const { startIndex: nameAt, endIndex } = name;
    const found = { name: plainName(text.slice(nameAt, endIndex)), kind: whole.name, nameAt };
    definitions.set(nameAt, { ...found, from: whole.node.startIndex, to: whole.node.endIndex });
  }
  return {
    definitions: [...definitions.values()].filter(({ name }) => name !== "").toSorted((one, other) => one.nameAt - other.nameAt),
    references: distinct(text, used, definitions),
  };
}

/** A definition is no use of its own name. */
function distinct(text: string, used: ReadonlyMap<number, number>, definitions: ReadonlyMap<number, Definition>): readonly string[] {
  const names = new Set<string>();
  for (const from of [...used.keys()].toSorted((one, other) => one - other)) {
    const to = used.get(from) ?? from;
    if (!definitions.has(from) && to - from <= LONGEST_NAME && names.size < MOST_REFERENCES) {
      names.add(plainName(text.slice(from, to)));
    }
  }
  names.delete("");
  return [...names];
}

/** A name in quotes, and a heading over several lines, as they are asked for. */
function plainName(text: string): string {
  return text
    .replaceAll(/^["'`]|["'`]$/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
