import { styleText } from "node:util";
import { structuredPatch } from "diff";

/**
 * Renders the lines that change, and only those: around them stand other servers' secrets. Secrets within them are hidden, ours and
 * those that stood there before.
 */
export function showChange(before: string, after: string, token: string | undefined): string {
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: 0 });
  return hunks
    .map(({ newStart, lines }) => {
      // A line that starts with a backslash is a remark of the library on the file's end.
      const hidden = lines.filter((line) => !line.startsWith("\\")).map((line) => withoutSecrets(line, token));
      return [`  line ${newStart}`, ...excerpts(hidden).map(render)].join("\n");
    })
    .join("\n");
}

function render(line: string): string {
  const color = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "dim";
  return styleText(color, `  ${line}`);
}

const HIDDEN = "…";

/** A header, a name that promises a secret, and what looks like a token; references to variables may be seen. */
const SECRETS: readonly RegExp[] = [
  /(?<=\bBearer )(?!\$|\{env:)[^\s"']+/gi,
  /(?<=[\w-]*(?:token|key|secret|password|authorization)[\w-]*"?\s*[:=]\s*")(?!Bearer |\$|\{env:|SIGHTLINE_TOKEN")[^"]+/gi,
];

function withoutSecrets(line: string, token: string | undefined): string {
  const withoutOurs = token === undefined ? line : line.replaceAll(token, HIDDEN);
  return SECRETS.reduce((hidden, secret) => hidden.replaceAll(secret, HIDDEN), withoutOurs);
}

const LONGEST = 160;

/** Of a file that is one line, only what differs is shown. */
function excerpts(lines: readonly string[]): readonly string[] {
  const [removed = "", added = ""] = lines;
  if (lines.length !== 2 || Math.max(removed.length, added.length) <= LONGEST) {
    return lines.map((line) => (line.length > LONGEST ? `${line.slice(0, LONGEST)}${HIDDEN}` : line));
  }
  const start = lengthOfCommon(removed.slice(1), added.slice(1));
  const [one, other] = [removed.slice(1 + start), added.slice(1 + start)];
  const end = lengthOfCommon(reversed(one), reversed(other));
  const middle = (sign: string, text: string): readonly string[] =>
    text.length === end ? [] : [`${sign}${HIDDEN}${text.slice(0, text.length - end)}${HIDDEN}`];
  return [...middle("-", one), ...middle("+", other)];
}

function lengthOfCommon(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) {
    length += 1;
  }
  return length;
}

function reversed(text: string): string {
  return text.split("").toReversed().join("");
}
