import { createScanner, getNodeValue, parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import { z } from "zod";
import { positionOf, UnreadableText } from "./text-edit.ts";

/** A name in an object, or the element of a list that has this id. */
export const segmentSchema = z.union([z.string(), z.object({ id: z.string() })]);
export type Segment = z.infer<typeof segmentSchema>;

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/** The tree of the text, with offsets; comments and trailing commas are as fine as they are for the editors that write them. */
export function readTree(text: string): Node {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [error] = errors;
  if (error !== undefined) {
    throw new UnreadableText(`it is not valid JSON (${inWords(error)})`, positionOf(text, error.offset));
  }
  if (tree?.type !== "object") {
    throw new UnreadableText("it does not hold an object of JSON", positionOf(text, tree?.offset ?? 0));
  }
  return tree;
}

/** `CommaExpected` as `comma expected`. */
function inWords({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();
}

/** The library's own objects have no prototype, and so are like none that was written in code. */
export function valueOf(node: Node): unknown {
  return structuredClone(getNodeValue(node));
}

/** What stands in an object or a list: a property or an element. */
export type Child = { readonly whole: Node; readonly value: Node };

export function childrenOf(container: Node): readonly Child[] {
  return (container.children ?? []).flatMap((whole) => {
    const value = whole.type === "property" ? whole.children?.[1] : whole;
    return value === undefined ? [] : [{ whole, value }];
  });
}

/** Of a name that stands twice the last one counts, as for every reader of JSON. */
export function childAt(container: Node, segment: Segment): Child | undefined {
  return childrenOf(container).findLast(({ whole, value }) =>
    typeof segment === "string"
      ? whole.children?.[0]?.value === segment
      : value.type === "object" && childrenOf(value).some((child) => isProperty(child, "id", segment.id)),
  );
}

function isProperty({ whole, value }: Child, name: string, wanted: string): boolean {
  return whole.children?.[0]?.value === name && value.value === wanted;
}

/** @throws {UnreadableText} when the path is barred by something that has no such children. */
export function demandContainer(text: string, node: Node, inside: Segment, name: string): void {
  const wanted = typeof inside === "string" ? "object" : "array";
  if (node.type !== wanted) {
    throw new UnreadableText(`${name} is not ${wanted === "object" ? "an object" : "a list"}`, positionOf(text, node.offset));
  }
}

/** The library's kinds of tokens: an enum that exists only in its types, which can't be imported as a value. */
const KIND = { comma: 5, lineComment: 12, blockComment: 13, lineBreak: 14, blanks: 15, end: 17 } as const;

type Token = { readonly kind: number; readonly start: number; readonly end: number };

/** The tokens from `offset` on, comments and blanks among them. */
function* tokensFrom(text: string, offset: number): Generator<Token> {
  const scanner = createScanner(text);
  scanner.setPosition(offset);
  for (let kind: number = scanner.scan(); kind !== KIND.end; kind = scanner.scan()) {
    yield { kind, start: scanner.getTokenOffset(), end: scanner.getTokenOffset() + scanner.getTokenLength() };
  }
}

const BETWEEN: readonly number[] = [KIND.blanks, KIND.lineBreak, KIND.lineComment, KIND.blockComment];

/** The comma that follows `offset`, if there is nothing but blanks and comments before it. */
export function commaAfter(text: string, offset: number): Token | undefined {
  for (const token of tokensFrom(text, offset)) {
    if (!BETWEEN.includes(token.kind)) {
      return token.kind === KIND.comma ? token : undefined;
    }
  }
  return undefined;
}

/** Where the comments end that stand behind `offset` on its line, and so belong to what is before it. */
export function endOfRemarks(text: string, offset: number): number {
  let end = offset;
  for (const token of tokensFrom(text, offset)) {
    if (token.kind === KIND.lineComment || token.kind === KIND.blockComment) {
      end = token.end;
    } else if (token.kind !== KIND.blanks) {
      break;
    }
  }
  return end;
}

/** Whether a comment ends at `offset` that would swallow what is put behind it. */
export function isBehindRemark(text: string, offset: number): boolean {
  for (const token of tokensFrom(text, 0)) {
    if (token.end >= offset) {
      return token.kind === KIND.lineComment;
    }
  }
  return false;
}
