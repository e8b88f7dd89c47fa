import { getWasmPath, type SupportedLanguage } from "tree-sitter-wasm";
import { Language, Parser, Query } from "web-tree-sitter";
import { DEFINITION_QUERIES } from "./definition-queries.ts";
import { findLanguage } from "./languages.ts";
import { startRuntime } from "./parser-runtime.ts";
import { REFERENCE_QUERIES } from "./reference-queries.ts";

/** A language's parser, and what finds the names that a tree defines and uses. */
export type Grammar = {
  readonly parser: Parser;
  /** One query for all, as each walks the whole tree. */
  readonly names: Query | undefined;
  /** The parser reads the scripts of a page only. */
  readonly scripts: boolean;
  /** Bytes; larger files of the language are data, which is cut by lines as well and at no cost. */
  readonly maxBytes: number;
};

const MAX_DATA_BYTES = 65_536;

type Loaded = Omit<Grammar, "scripts" | "maxBytes">;

/** The grammar of a language, loaded at its first use; `undefined` when there is none. */
export type Grammars = (language: string) => Promise<Grammar | undefined>;

/** To be called once in a thread: the library has one runtime in each, and what parses belongs to it. */
export function createGrammars(runtime: WebAssembly.Module): Grammars {
  const loaded = new Map<string, Promise<Loaded>>();
  let started: Promise<void> | undefined;

  async function load(name: SupportedLanguage): Promise<Loaded> {
    started ??= startRuntime(runtime);
    await started;
    const language = await Language.load(getWasmPath(name));
    const parser = new Parser();
    parser.setLanguage(language);
    const query = `${DEFINITION_QUERIES[name] ?? ""}${REFERENCE_QUERIES[name] ?? ""}`;
    return { parser, names: query.trim() === "" ? undefined : new Query(language, query) };
  }

  return async (language) => {
    const { grammar, isPage = false, isData = false } = findLanguage(language) ?? {};
    if (grammar === undefined) {
      return undefined;
    }
    const known = loaded.get(grammar) ?? load(grammar);
    loaded.set(grammar, known);
    return { ...(await known), scripts: isPage, maxBytes: isData ? MAX_DATA_BYTES : Number.POSITIVE_INFINITY };
  };
}
