import { getWasmPath, type SupportedLanguage } from "tree-sitter-wasm";
import { Language, Parser, Query } from "web-tree-sitter";
import { DEFINITION_QUERIES } from "./definition-queries.ts";
import { compileRuntime, startRuntime } from "./parser-runtime.ts";
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

/** The grammar of each language, by the language's name in the index. */
const GRAMMARS: Readonly<Record<string, SupportedLanguage>> = {
  javascript: "javascript",
  typescript: "typescript",
  tsx: "tsx",
  vue: "typescript",
  svelte: "typescript",
  astro: "typescript",
  python: "python",
  go: "go",
  rust: "rust",
  java: "java",
  c: "c",
  cpp: "cpp",
  csharp: "c_sharp",
  ruby: "ruby",
  php: "php",
  kotlin: "kotlin",
  swift: "swift",
  scala: "scala",
  bash: "bash",
  sql: "sql",
  css: "css",
  html: "html",
  json: "json",
  yaml: "yaml",
  toml: "toml",
  lua: "lua",
  dart: "dart",
  elixir: "elixir",
  protobuf: "proto",
  graphql: "graphql",
  terraform: "hcl",
  makefile: "make",
  haskell: "haskell",
  zig: "zig",
};

const PAGES: ReadonlySet<string> = new Set(["vue", "svelte", "astro"]);
const DATA: ReadonlySet<string> = new Set(["json", "yaml", "toml", "html", "css"]);
const MAX_DATA_BYTES = 65_536;

const loaded = new Map<string, Promise<Omit<Grammar, "scripts" | "maxBytes">>>();
let runtime: Promise<void> | undefined;

/**
 * The grammar of a language, loaded at its first use; `undefined` when there is none.
 *
 * @param compile where a thread gets the compiled runtime from at its first use.
 */
export async function grammarOf(language: string, compile: () => WebAssembly.Module = compileRuntime): Promise<Grammar | undefined> {
  const name = Object.hasOwn(GRAMMARS, language) ? GRAMMARS[language] : undefined;
  if (name === undefined) {
    return undefined;
  }
  const known = loaded.get(name) ?? load(name, compile);
  loaded.set(name, known);
  const maxBytes = DATA.has(language) ? MAX_DATA_BYTES : Number.POSITIVE_INFINITY;
  return { ...(await known), scripts: PAGES.has(language), maxBytes };
}

async function load(name: SupportedLanguage, compile: () => WebAssembly.Module): Promise<Omit<Grammar, "scripts" | "maxBytes">> {
  runtime ??= startRuntime(compile());
  await runtime;
  const language = await Language.load(getWasmPath(name));
  const parser = new Parser();
  parser.setLanguage(language);
  const query = `${DEFINITION_QUERIES[name] ?? ""}${REFERENCE_QUERIES[name] ?? ""}`;
  return { parser, names: query.trim() === "" ? undefined : new Query(language, query) };
}
