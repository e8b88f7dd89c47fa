import type { Node, Query } from "web-tree-sitter";

/** A name that a text defines, or that what is in it stands under. Places count UTF-16 units. */
export type Definition = {
  readonly name: string;
  readonly kind: string;
  readonly nameAt: number;
  readonly from: number;
  readonly to: number;
};

/** Longer ones are no names. */
const LONGEST_NAME = 200;

/** The definitions of a syntax tree in the order of their names. */
export function findDefinitions(root: Node, query: Query): readonly Definition[] {
  const found = new Map<number, Definition>();
  for (const { captures } of query.matches(root)) {
    const name = captures.find((capture) => capture.name === "name")?.node;
    const whole = captures.find((capture) => capture.name !== "name" && capture.name !== "keyword");
    if (name === undefined || whole === undefined || name.endIndex - name.startIndex > LONGEST_NAME || found.has(name.startIndex)) {
      continue;
    }
    const { startIndex: nameAt, text } = name;
    found.set(nameAt, { name: plainName(text), kind: whole.name, nameAt, from: whole.node.startIndex, to: whole.node.endIndex });
  }
  return [...found.values()].filter(({ name }) => name !== "").toSorted((one, other) => one.nameAt - other.nameAt);
}

/** A name in quotes, and a heading over several lines, as they are asked for. */
function plainName(text: string): string {
  return text
    .replaceAll(/^["'`]|["'`]$/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
