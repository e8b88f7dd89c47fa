import { RE2JS } from "re2js";

/**
 * Whether paths match a pattern as shells have them: `*` and `?` within a part of a path, `**` across parts, `{a,b}` either.
 * Without a slash it is held against the file's name alone. In time proportional to the path, whatever the pattern.
 */
export function matchGlob(glob: string): (path: string) => boolean {
  const anywhere = glob.includes("/") ? glob.replace(/^\//u, "") : `**/${glob}`;
  const pattern = RE2JS.compile(expressionOf(anywhere), RE2JS.DOTALL);
  return (path) => pattern.matches(path);
}

function expressionOf(glob: string): string {
  let expression = "";
  let open = 0;
  for (const [token] of glob.matchAll(/\*\*\/|\*+|\?|[{},]|[^*?{},]+/gu)) {
    if (token === "**/") {
      expression += "(?:.*/)?";
    } else if (token.startsWith("*")) {
      expression += token.length > 1 ? ".*" : "[^/]*";
    } else if (token === "?") {
      expression += "[^/]";
    } else if (token === "{" && closes(glob)) {
      open++;
      expression += "(?:";
    } else if (token === "}" && open > 0) {
      open--;
      expression += ")";
    } else if (token === "," && open > 0) {
      expression += "|";
    } else {
      expression += RE2JS.quote(token);
    }
  }
  return expression;
}

/** Braces that don't belong together are only characters. */
function closes(glob: string): boolean {
  let depth = 0;
  for (const character of glob) {
    depth += character === "{" ? 1 : character === "}" ? -1 : 0;
    if (depth < 0) {
      return false;
    }
  }
  return depth === 0;
}
