import { invalidQuery } from "#retrieval/query/refusals.ts";

/** A name as it was asked for. */
export type AskedName = {
  readonly name: string;
  /** The outer definition: `Server` of `Server.start`. */
  readonly outer: string | undefined;
  /** In lower case, ways to write it: `add to cart` may be `addToCart` or `add_to_cart`. */
  readonly spellings: readonly string[];
};

/** Separates a name from its outer definition. */
const BETWEEN = /::|->|[.#›]/u;

/** What stands before the name where it is defined: `class Server` asks for `Server`. */
const KEYWORD =
  /^(?:class|struct|interface|trait|protocol|enum|union|type|record|function|func|fn|def|module|namespace|macro|const|let|var)\s+(?=\S+$)/u;

/** @throws {AppError} `invalid_query` (400) */
export function readSymbolName(text: string): AskedName {
  const written = text
    .replaceAll("`", "")
    .trim()
    .replace(/\(.*\)$/su, "");
  const parts = written
    .replace(KEYWORD, "")
    .split(BETWEEN)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const name = parts.at(-1)?.normalize("NFC") ?? "";
  if (name === "" || text.includes("\0")) {
    throw invalidQuery("No symbol was named; give one name, such as parseConfig or Server.start.");
  }
  // `type name` may be `typeName`.
  const words = (KEYWORD.test(written) ? written : name)
    .normalize("NFC")
    .toLowerCase()
    .split(/[\s-]+/u);
  const spellings = words.length === 1 ? words : ["", "_", "-"].map((between) => words.join(between));
  return { name, outer: parts.at(-2), spellings: [...new Set([...spellings, name.toLowerCase()])] };
}
