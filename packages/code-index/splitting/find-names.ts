import type { Node, Query, QueryCapture } from "web-tree-sitter";

/** A name that a text defines, or that what is in it stands under. Places count UTF-16 units. */
export type Definition = {
  readonly name: string;
  readonly kind: string;
  /** The type that it belongs to, where it does not stand inside of it. */
  readonly receiver: string | undefined;
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
const MAX_NAME_LENGTH = 200;
/** More are of no use in a search for who uses a name. */
const MAX_REFERENCES = 500;

/** What a definition is rather than what it was found to be first: a constant that is a function, a function of a class, a field that is static. */
const FINER: Readonly<Record<string, string>> = {
  constant: "function",
  function: "method",
  type: "interface",
  field: "constant",
  // An extension defines no type.
  class: "scope",
};

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
      if (definition !== undefined) {
        const known = definitions.get(definition.nameAt);
        const finer = known === undefined || FINER[known.kind] === definition.kind ? definition : known;
        definitions.set(definition.nameAt, { ...finer, receiver: definition.receiver ?? known?.receiver });
      }
    }
  }
  const references = new Set<string>();
  for (const { startIndex, endIndex } of [...used, ...mentioned]) {
    if (references.size === MAX_REFERENCES) {
      break;
    }
    // A definition is no use of its own name.
    if (!definitions.has(startIndex) && endIndex - startIndex <= MAX_NAME_LENGTH) {
      references.add(plainName(text.slice(startIndex, endIndex)));
    }
  }
  references.delete("");
  return {
    definitions: joinClauses([...definitions.values()].toSorted((one, other) => one.nameAt - other.nameAt)),
    references: [...references],
  };
}

const CLAUSE = ".clause";

/** Neighbouring clauses of one name are one definition. */
function joinClauses(definitions: readonly Definition[]): readonly Definition[] {
  const joined: Definition[] = [];
  for (const definition of definitions) {
    const before = joined.at(-1);
    if (before !== undefined && definition.kind.endsWith(CLAUSE) && before.name === definition.name && before.kind === definition.kind) {
      joined[joined.length - 1] = { ...before, to: definition.to };
    } else {
      joined.push(definition);
    }
  }
  return joined.map((definition) => ({ ...definition, kind: definition.kind.replace(CLAUSE, "") }));
}

function readDefinition(captures: readonly QueryCapture[], text: string): Definition | undefined {
  const node = captures.find((capture) => capture.name === "name")?.node;
  const whole = captures.find((capture) => !BESIDE.has(capture.name));
  if (node === undefined || whole === undefined) {
    return undefined;
  }
  const { endIndex } = node;
  const nameAt = startOfName(text, node.startIndex, endIndex);
  const name = endIndex - nameAt > MAX_NAME_LENGTH ? "" : plainName(text.slice(nameAt, endIndex));
  const receiver = captures.find((capture) => capture.name === "receiver")?.node.text.slice(0, MAX_NAME_LENGTH);
  return name === "" ? undefined : { name, kind: whole.name, receiver, nameAt, from: whole.node.startIndex, to: whole.node.endIndex };
}

/** Captures that are not the definition itself. */
const BESIDE: ReadonlySet<string> = new Set(["name", "keyword", "receiver"]);

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

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t\r]*$/;

/**
 * The headings of Markdown as what the text below them stands under. The grammar finds no more, and takes twenty times as long
 * as all the rest of the indexing.
 */
export function findHeadings(text: string): readonly Definition[] {
  const found: (Definition & { readonly level: number; to: number })[] = [];
  let fence: string | undefined;
  for (let at = 0; at < text.length;) {
    const end = endOfLine(text, at);
    const line = text.slice(at, end);
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      fence = mark?.startsWith(fence) === true ? undefined : fence;
    } else if (mark !== undefined) {
      fence = mark;
    } else {
      const [, marks, name] = HEADING.exec(line) ?? [];
      if (marks !== undefined && name !== undefined && name !== "") {
        closeSections(found, marks.length, at);
        found.push({
          name: name.slice(0, MAX_NAME_LENGTH),
          kind: "scope",
          receiver: undefined,
          nameAt: at,
          from: at,
          to: text.length,
          level: marks.length,
        });
      }
    }
    at = end + 1;
  }
  return found;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

/** A heading ends the sections of its own level and below. */
function closeSections(found: readonly { readonly level: number; readonly from: number; to: number }[], level: number, at: number): void {
  for (let index = found.length - 1; index >= 0; index--) {
    const section = found[index];
    if (section !== undefined && section.level >= level && section.to > at) {
      section.to = at;
    } else if (section !== undefined && section.level < level) {
      return;
    }
  }
}
