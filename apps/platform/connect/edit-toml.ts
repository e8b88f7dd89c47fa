import { isDeepStrictEqual } from "node:util";
import { getStaticTOMLValue, ParseError, parseTOML, type AST } from "toml-eslint-parser";
import { applyEdits, lineEndOf, positionOf, UnreadableText } from "./text-edit.ts";

/** A table of plain texts, or of tables of such, which is all that a server needs. */
export type TomlTable = { readonly [name: string]: string | { readonly [name: string]: string } };

/** What an undo needs: the blank lines that were put before the table, or the table that it replaced. */
export type TomlStep = { readonly lead: string; readonly was: string | null };

/**
 * Appends a table, or replaces the one of this name. A table can stand at the end of any file, so nothing before it is touched.
 */
export function addToToml(text: string, path: readonly string[], table: TomlTable): { readonly text: string; readonly step?: TomlStep } {
  const program = parse(text);
  const eol = lineEndOf(text);
  const block = render(path, table, eol);
  const found = find(program, path);
  if (found === undefined) {
    const lead = text === "" ? "" : text.endsWith("\n") ? eol : `${eol}${eol}`;
    const appended = `${text}${lead}${block}${eol}`;
    demandValue(appended, path, table);
    return { text: appended, step: { lead, was: null } };
  }
  if (isDeepStrictEqual(valueAt(program, path), table)) {
    return { text };
  }
  const [start, end] = found.range;
  const replaced = applyEdits(text, [{ start, end, text: block }]);
  demandValue(replaced, path, table);
  return { text: replaced, step: { lead: "", was: text.slice(start, end) } };
}

export function removeFromToml(text: string, path: readonly string[], { lead, was }: TomlStep): string {
  const table = find(parse(text), path);
  if (table === undefined) {
    return text;
  }
  const [start, end] = table.range;
  if (was !== null) {
    return applyEdits(text, [{ start, end, text: was }]);
  }
  const lineEnd = /^[ \t]*\r?\n/.exec(text.slice(end))?.[0].length ?? 0;
  const blanks = text.slice(0, start).endsWith(lead) ? lead.length : 0;
  return applyEdits(text, [{ start: start - blanks, end: end + lineEnd, text: "" }]);
}

export function tomlValueAt(text: string, path: readonly string[]): unknown {
  return valueAt(parse(text), path);
}

function parse(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text);
  } catch (error) {
    if (error instanceof ParseError) {
      throw new UnreadableText(`it is not valid TOML (${error.message})`, { line: error.lineNumber, column: error.column + 1 });
    }
    throw error;
  }
}

function find(program: AST.TOMLProgram, path: readonly string[]): AST.TOMLTable | undefined {
  return program.body[0].body.find((node): node is AST.TOMLTable => node.type === "TOMLTable" && isDeepStrictEqual(node.resolvedKey, path));
}

function valueAt(program: AST.TOMLProgram, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined),
    getStaticTOMLValue(program),
  );
}

/** What is to be written must be read again as it was meant; a server that is written in several places can't be. */
function demandValue(text: string, path: readonly string[], table: TomlTable): void {
  const name = path.join(".");
  try {
    if (isDeepStrictEqual(valueAt(parseTOML(text), path), table)) {
      return;
    }
  } catch (error) {
    if (!(error instanceof ParseError)) {
      throw error;
    }
  }
  const at = text.indexOf(path[0] ?? "");
  throw new UnreadableText(`${name} is in it already, and not as one table [${name}]`, positionOf(text, Math.max(at, 0)));
}

/** A basic string of TOML is written as one of JSON is. */
function render(path: readonly string[], table: TomlTable, eol: string): string {
  const lines = Object.entries(table).map(
    ([name, value]) => `${name} = ${typeof value === "string" ? JSON.stringify(value) : inline(value)}`,
  );
  return [`[${path.join(".")}]`, ...lines].join(eol);
}

function inline(table: { readonly [name: string]: string }): string {
  return `{ ${Object.entries(table)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join(", ")} }`;
}
