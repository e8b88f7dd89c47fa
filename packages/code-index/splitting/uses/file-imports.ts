import type { Node } from "web-tree-sitter";

/** What a file imports: `name` of a module as `local`; the module as a whole where there is no name, all of its names where there is no `local` either. */
export type FileImport = {
  readonly module: string;
  readonly name: string | undefined;
  readonly local: string | undefined;
  /** Lines from 1. */
  readonly from: number;
  readonly to: number;
};

/** Statements that import, as grammars call them. */
const STATEMENTS = [
  "import_statement",
  "import_from_statement",
  "import_declaration",
  "import_header",
  "import_spec",
  "import",
  "export_statement",
  "use_declaration",
  "namespace_use_declaration",
  "using_directive",
  "preproc_include",
  "import_or_export",
  "groovy_import",
  "open_module",
];
/** Functions that import the module they are given, where the language has no syntax of its own for it. */
const CALLS = /^(?:require|require_relative|load|source|alias|import|use)\b/;

/** All imports of a file, in its order. */
export function importsOf(root: Node): readonly FileImport[] {
  const calls = root.descendantsOfType("call").filter((node) => CALLS.test(node.text.slice(0, 20)));
  const statements = root
    .descendantsOfType(STATEMENTS)
    .filter((node) => node.descendantsOfType("import_spec").length < 1 || node.type === "import_spec");
  return [...statements, ...calls].flatMap((node) => {
    const lines = { from: node.startPosition.row + 1, to: node.endPosition.row + 1 };
    return readImports(node).map((found) => ({ ...found, ...lines }));
  });
}

type Read = Pick<FileImport, "module" | "name" | "local">;

/** Words that belong to the statement, not to what is imported; `static` and the like stand before it. */
const KEYWORDS =
  /^(?:#\s*include|(?:pub(?:\([^)]*\))?|export|global)\s+(?=use|using|import)|export)?\s*(?:import|use|using|open|alias|require\w*|load|source)?\b\s*(?:(?:static|type|typeof|function|const|qualified)\s+)?/;
const QUOTED = /["'`<]([^"'`<>\s]+)["'`>]/;
const TOKEN = /[{}(),;]|\bas\b|=>|=|:as\b|[.]*[\w$*]+(?:(?:\.|::|\\|\/)[\w$*]+)*|\\[\w\\]+|\.+/g;

function readImports(statement: Node): readonly Read[] {
  const { text, type } = statement;
  const quoted = QUOTED.exec(text)?.[1];
  if (type === "export_statement" && (quoted === undefined || statement.childForFieldName("source") === null)) {
    return [];
  }
  // A path in quotes imports names that stand before it; of Go, and where nothing does, it is all.
  const listed = text.slice(0, quoted === undefined ? undefined : text.search(QUOTED)).replace(/\bfrom\s*$/, "");
  const from = /^from\s+(\S+)\s+import\b([^]*)$/.exec(text);
  const entries =
    from === null ? readNames(listed.replace(KEYWORDS, "")) : readNames(`${from[1]} {${from[2]?.replaceAll(/[()]|#.*/g, "")}}`);
  if (quoted !== undefined) {
    if (type === "import_spec") {
      const [named] = entries;
      return [{ module: quoted, name: undefined, local: named?.path === "." ? undefined : (named?.path ?? packageOf(quoted)) }];
    }
    const read = entries.map(({ path, alias, isInside }): Read => {
      const isWhole = path === "*";
      return { module: quoted, name: isWhole ? undefined : isInside ? path : "default", local: alias ?? (isWhole ? undefined : path) };
    });
    return read.length === 0 ? [{ module: quoted, name: undefined, local: undefined }] : read;
  }
  return entries.flatMap(({ path, alias, prefix, isInside }): readonly Read[] => {
    const [, before = "", last = path] = /^(.*?)(?:\.|::|\\|\/)?([\w$*]+)$/.exec(path) ?? [];
    const module = [prefix, before].filter((part) => part !== "").join(separatorOf(prefix + before + path));
    if (last === "*" || last === "_" || type === "using_directive") {
      const whole = alias === undefined ? (last === "*" || last === "_" ? module : path) : module;
      return [{ module: whole, name: alias === undefined ? undefined : last, local: alias }];
    }
    if (type === "import_statement" && !isInside) {
      return [{ module: alias === undefined ? (path.split(".")[0] ?? path) : path, name: undefined, local: alias ?? path.split(".")[0] }];
    }
    return last === "self"
      ? [{ module, name: undefined, local: alias ?? /\w+$/.exec(module)?.[0] }]
      : [{ module, name: last, local: alias ?? last }];
  });
}

function separatorOf(path: string): string {
  return path.includes("\\") ? "\\" : path.includes("::") ? "::" : path.includes("/") ? "/" : ".";
}

/** `go-redis/v9` is called `redis`. */
function packageOf(path: string): string {
  const parts = path.split("/").filter((part) => !/^v\d+$/.test(part));
  return (parts.at(-1) ?? path).replace(/\.v\d+$/, "").replace(/^go-|[.-]go$/g, "");
}

type Entry = { path: string; alias: string | undefined; readonly prefix: string; readonly isInside: boolean };

/** The names of `a.{b, c as d}`, each with what stands before its brackets. */
function readNames(text: string): readonly Entry[] {
  const found: Entry[] = [];
  const prefixes: string[] = [];
  let current: Entry | undefined;
  let isAlias = false;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{" || token === "(") {
      const prefix =
        current === undefined
          ? (prefixes.at(-1) ?? "")
          : [current.prefix, current.path].filter((part) => part !== "").join(separatorOf(current.path));
      if (current !== undefined) {
        found.splice(found.indexOf(current), 1);
      }
      prefixes.push(prefix.replace(/(?:::|\\|(?<=\w)\.)$/, ""));
      current = undefined;
    } else if (token === "}" || token === ")" || token === "," || token === ";") {
      current = undefined;
      if (token === "}" || token === ")") {
        prefixes.pop();
      }
    } else if (/^(?:as|=>|:as)$/.test(token)) {
      isAlias = true;
    } else if (token === "=" && current !== undefined) {
      // `using Alias = Some.Type`
      isAlias = true;
      current.alias = current.path;
    } else if (isAlias && current !== undefined) {
      if (current.alias === undefined) {
        current.alias = token;
      } else {
        current.path = token;
      }
      isAlias = false;
    } else if (current === undefined) {
      current = { path: token, alias: undefined, prefix: prefixes.at(-1) ?? "", isInside: prefixes.length > 0 };
      found.push(current);
    } else if (!token.startsWith(".")) {
      // `type Name`
      current.path = token;
    }
  }
  return found;
}
