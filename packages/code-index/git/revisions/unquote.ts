import { treeEntryPath } from "#git/tree-entry.ts";

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", a: "\x07" };

/** A path as git prints it in a line, with its quotes and escapes where it has odd characters. */
export function unquote(printed: string): string {
  if (!printed.startsWith('"')) {
    return printed;
  }
  const bytes = printed
    .slice(1, -1)
    .split(/(\\[0-7]{3}|\\.)/u)
    .map((part) => (/^\\[0-7]{3}$/u.test(part) ? Buffer.of(Number.parseInt(part.slice(1), 8)) : Buffer.from(plain(part))));
  return treeEntryPath(Buffer.concat(bytes));
}

function plain(part: string): string {
  return part.startsWith("\\") ? (ESCAPES[part.slice(1)] ?? part.slice(1)) : part;
}
