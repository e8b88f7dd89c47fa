import type { BlameAnswer, LineHistoryAnswer, Outline } from "#contract.ts";
import { countTokens } from "#tokens/count-tokens.ts";
import { fenceFor, fitItems } from "./fit.ts";

/** What read_file shows of a file beside its text. */

const OVERHEAD_TOKENS = 150;

/** Who last changed each line. */
export function renderBlame({ repo, commit, path, ranges, commits, notes, total_lines: lines }: BlameAnswer, maxTokens: number): string {
  const known = new Map(commits.map((each) => [each.commit, each]));
  const render = ({ start_line: start, end_line: end, commit: by, path: name }: BlameAnswer["ranges"][number]) => {
    const from = by === null ? undefined : known.get(by);
    return `${start}-${end} ${from === undefined ? "older than what is kept" : renderCommit(from)}${name === path ? "" : ` (then ${name})`}`;
  };
  const shown = fitItems(ranges, { maxTokens: maxTokens - OVERHEAD_TOKENS, render });
  const head = `${repo}@${commit} ${path}: who last changed its ${lines} lines`;
  return [head, ...shown.map(render), ...notes, ...goOn(ranges[shown.length]?.start_line)].join("\n");
}

/** The commits that changed some lines, and then what they changed, as far as it fits. */
export function renderLineHistory({ repo, commit, path, changes, notes, ...lines }: LineHistoryAnswer, maxTokens: number): string {
  const render = ({ commit: by, path: name, start_line: start, end_line: end }: LineHistoryAnswer["changes"][number]) =>
    `${renderCommit(by)} (then ${name === path ? "" : name}:${start}-${end})`;
  const listed = fitItems(changes, { maxTokens: (maxTokens - OVERHEAD_TOKENS) / 2, render });
  let left = maxTokens - OVERHEAD_TOKENS - countTokens(listed.map(render).join("\n"));
  const shown = listed.map((change) => {
    const fence = fenceFor(change.patch);
    const diff = change.patch === "" ? "" : `\n${fence}diff\n${change.patch}${fence}`;
    left -= countTokens(diff);
    return `${render(change)}${left < 0 ? "" : diff}`;
  });
  const isCut = left < 0 || listed.length < changes.length || lines.next_cursor !== null;
  const head = `${repo}@${commit} ${path}:${lines.start_line}-${lines.end_line}: ${lines.next_cursor === null ? "" : "the newest "}${changes.length} changes of these lines`;
  return [head, ...shown, ...notes, ...(isCut ? ["Cut to max_tokens: ask for fewer lines, or with a larger max_tokens."] : [])].join("\n");
}

type Within = { readonly start?: number | undefined; readonly end?: number | undefined };

/** What a file defines, or some lines of it. */
export function renderOutline({ repo, commit, path, symbols }: Outline, { start = 1, end = Infinity }: Within, maxTokens: number): string {
  const render = ({ start_line: first, end_line: last, kind, name, scope }: Outline["symbols"][number]) =>
    `${first}-${last} ${kind} ${scope === "" ? "" : `${scope} › `}${name}`;
  const asked = symbols.filter((symbol) => symbol.end_line >= start && symbol.start_line <= end);
  const shown = fitItems(asked, { maxTokens: maxTokens - OVERHEAD_TOKENS, render });
  const head = `${repo}@${commit} ${path}: ${asked.length} definitions`;
  return [head, ...shown.map(render), ...goOn(asked[shown.length]?.start_line)].join("\n");
}

function goOn(next: number | undefined): readonly string[] {
  return next === undefined ? [] : [`Cut to max_tokens: go on with start=${next}, or ask with a larger max_tokens.`];
}

type Commit = LineHistoryAnswer["changes"][number]["commit"];

function renderCommit({
  commit,
  committed_at: at,
  author,
  subject,
}: Pick<Commit, "commit" | "committed_at" | "author" | "subject">): string {
  return `${commit.slice(0, 12)} ${at.slice(0, 10)} ${author.slice(0, 60)}: ${subject.slice(0, 100)}`;
}
