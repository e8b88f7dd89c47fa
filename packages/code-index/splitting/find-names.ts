import type { Node, Query, QueryCapture } from "web-tree-sitter";

/** A name that a text defines, or that what is in it stands under. Places count UTF-16 units. */
export type Definition = {
  readonly name: string;
  readonly kind: string;
  readonly nameAt: number;
  readonly from: number;
  readonly to: number;
};

export type Names = {
  /** In the order of their names. */
  readonly definitions: readonly Definition[];
  /** Names that are used, each once: calls, types and imports before the others, each in the order of their first use. */
  readonly references: readonly string[];
};

/** Longer ones are no names. */
const LONGEST_NAME = 200;
/** More are of no use in a search for who uses a name. */
const MOST_REFERENCES = 500;

/** The names that a syntax tree defines and uses. */
export function findNames(root: Node, query: Query, text: string): Names {
  const definitions = new Map<number, Definition>();
  const used: Node[] = [];
  const mentioned: Node[] = [];
  for (const { captures } of query.matches(root)) {
    const [first] = captures;
    if (first?.name === "used") {
      used.push(first.node);
    } else if (first?.name === "mentioned") {
      mentioned.push(first.node);
    } else {
      const definition = readDefinition(captures, text);
      if (definition !== undefined && !definitions.has(definition.nameAt)) {
        definitions.set(definition.nameAt, definition);
      }
    }
  }
  const references = new Set<string>();
  for (const { startIndex, endIndex } of [...used, ...mentioned]) {
    if (references.size === MOST_REFERENCES) {
      break;
    }
    // A definition is no use of its own name.
    if (!definitions.has(startIndex) && endIndex - startIndex <= LONGEST_NAME) {
      references.add(plainName(text.slice(startIndex, endIndex)));
    }
  }
  references.delete("");
  return {
    definitions: [...definitions.values()].toSorted((one, other) => one.nameAt - other.nameAt),
    references: [...references],
  };
}

function readDefinition(captures: readonly QueryCapture[], text: string): Definition | undefined {
  const node = captures.find((capture) => capture.name === "name")?.node;
  const whole = captures.find((capture) => capture.name !== "name" && capture.name !== "keyword");
  if (node === undefined || whole === undefined) {
    return undefined;
  }
  const { endIndex } = node;
  const nameAt = startOfName(text, node.startIndex, endIndex);
  const name = endIndex - nameAt > LONGEST_NAME ? "" : plainName(text.slice(nameAt, endIndex));
  return name === "" ? undefined : { name, kind: whole.name, nameAt, from: whole.node.startIndex, to: whole.node.endIndex };
}

/** A grammar that does not know a macro for what it is takes it, and the type on the next line, for a part of the name. */
function startOfName(text: string, from: number, to: number): number {
  const name = text.slice(from, to);
  return name.includes("\n") ? to - (/\S*$/.exec(name)?.[0].length ?? 0) : from;
}

/** A name in quotes, and one over several lines, as they are asked for. */
function plainName(text: string): string {
  if (!/["'`\s]/.test(text)) {
    return text;
  }
  return text
    .replaceAll(/^["'`]|["'`]$/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
