import type { BlameAnswer, FileRequest } from "#contract.ts";
import { fromRoot } from "#retrieval/files/read-file.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import { refuseNul } from "#retrieval/query/refusals.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { checkRange, newestChange, openHistory, type FileHistory } from "./file-at-commit.ts";
import { linesThatStayed } from "./line-diff.ts";
import { originsOf, parsePatch, textOfPatch } from "./patch.ts";
import type { ChangeRow, CommitNode } from "./read-changes.store.ts";
import { requireCommit } from "./read-commit.ts";
import { commitsAt, findHistory } from "./read-commits.store.ts";
import { presentCommit } from "./search-commits.ts";

const READ_MS = 12_000;

/**
 * Who last changed each line of a file, at a commit or as it is indexed: as `git blame` has it.
 *
 * @throws {AppError} as `readFileAtCommit`.
 */
export async function blame(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { path: given, commit: hash, start = 1, end }: FileRequest,
): Promise<BlameAnswer> {
  refuseNul([given], "A NUL character is in no path.");
  const path = fromRoot(given);
  return readScope({ database, scope, milliseconds: READ_MS }, async (transaction, [build]) => {
    const newest = (await findHistory(transaction, scope))?.newest ?? "";
    const { position, commit } = await requireCommit(transaction, scope, hash ?? newest);
    const history = await openHistory(transaction, scope, build);
    const total = (await history.linesAt(position, path)).length;
    const last = checkRange({ path, lines: total, start, end });
    const asked = Array.from({ length: last - start + 1 }, (_, index) => start - 1 + index);
    const blamed = await blameLines(history, { position, path, lines: asked.map((line) => ({ line, final: line })) });
    const ranges = toRanges(
      blamed.toSorted((one, other) => one.final - other.final),
      history,
    );
    const positions = [...new Set(blamed.flatMap(({ position: by }) => by ?? []))];
    const rows = await commitsAt(transaction, scope, positions);
    const isOlder = ranges.some((range) => range.commit === null);
    return {
      repo: build?.repo ?? scope.repo,
      ref: build?.ref ?? "",
      commit,
      path,
      total_lines: total,
      ranges,
      commits: rows.map((row) => presentCommit(row, undefined)),
      notes: [
        ...(isOlder ? ["Lines without a commit are older than the commits that are kept, or came with a change that is not kept."] : []),
        ...(hash === undefined && commit !== build?.commit
          ? [`This is the file at ${commit}, where the history ends; it follows the index.`]
          : []),
      ],
    };
  });
}

/** A line of the file asked for, and its place in the version that is looked at. */
type Line = { readonly line: number; readonly final: number };
type Suspect = { readonly position: number; readonly path: string; readonly lines: readonly Line[] };
type Blamed = { readonly final: number; readonly line: number; readonly path: string; readonly position: number | undefined };

/** The newest suspect first, each passes on what its parents had already. */
async function blameLines(history: FileHistory, first: Suspect): Promise<readonly Blamed[]> {
  const { graph } = history;
  const blamed: Blamed[] = [];
  const waiting = new Map<string, Suspect>();
  const suspect = (node: CommitNode | undefined, path: string, lines: readonly Line[]) => {
    if (node === undefined) {
      blamed.push(...lines.map((line) => ({ ...line, path, position: undefined })));
    } else if (lines.length > 0) {
      const key = `${node.position} ${path}`;
      waiting.set(key, { position: node.position, path, lines: [...(waiting.get(key)?.lines ?? []), ...lines] });
    }
  };
  suspect(graph.at(first.position), first.path, first.lines);
  for (let next = newestOf(waiting); next !== undefined; next = newestOf(waiting)) {
    const { path, lines } = next;
    waiting.delete(`${next.position} ${path}`);
    const changes = await history.changesOf(path);
    const node = graph.at(next.position);
    const change = changes.at(next.position, path, "new");
    if (node === undefined || change === undefined) {
      // It was not touched since an older commit of its first parents.
      suspect(node === undefined ? undefined : newestChange(graph, graph.parent(node), { changes, name: path })?.node, path, lines);
      continue;
    }
    const rest = await passOn({ history, node, change, lines, suspect });
    blamed.push(...rest.map((line) => ({ ...line, path, position: change.left_out === null ? node.position : undefined })));
  }
  return blamed;
}

function newestOf(waiting: ReadonlyMap<string, Suspect>): Suspect | undefined {
  return [...waiting.values()].reduce<Suspect | undefined>(
    (best, each) => (best !== undefined && best.position >= each.position ? best : each),
    undefined,
  );
}

type Passing = {
  readonly history: FileHistory;
  readonly node: CommitNode;
  readonly change: ChangeRow;
  readonly lines: readonly Line[];
  readonly suspect: (node: CommitNode | undefined, path: string, lines: readonly Line[]) => void;
};

/** @returns the lines that are the commit's own. */
async function passOn({ history, node, change, lines, suspect }: Passing): Promise<readonly Line[]> {
  const { graph } = history;
  const [, ...others] = node.parents;
  const otherNodes = others.flatMap((commit) => graph.of(commit) ?? []);
  const changes = await history.changesOf(change.path);
  // A merge that took a file from another parent as it is has nothing to do with it.
  const same = otherNodes.find((parent) => newestChange(graph, parent, { changes, name: change.path })?.change.blob === change.blob);
  if (same !== undefined) {
    suspect(same, change.path, lines);
    return [];
  }
  let rest = lines;
  if (change.status !== "added" && change.left_out === null) {
    rest = split(rest, originsOf(parsePatch(textOfPatch(change.patch))), (passed) =>
      suspect(graph.parent(node), change.old_path ?? change.path, passed),
    );
  }
  for (const parent of rest.length === 0 ? [] : otherNodes) {
    const before = await history.linesAt(parent.position, change.path).catch(() => undefined);
    const after = before === undefined ? undefined : await history.linesAt(node.position, change.path);
    if (before !== undefined && after !== undefined) {
      rest = split(rest, linesThatStayed(before, after), (passed) => suspect(parent, change.path, passed));
    }
  }
  return rest;
}

/** Passes on the lines that have an origin. @returns the others. */
function split(
  lines: readonly Line[],
  originOf: (line: number) => number | undefined,
  passOnTo: (lines: readonly Line[]) => void,
): readonly Line[] {
  const found = lines.map((line) => ({ ...line, origin: originOf(line.line) }));
  passOnTo(found.flatMap(({ final, origin }) => (origin === undefined ? [] : [{ final, line: origin }])));
  return found.flatMap(({ final, line, origin }) => (origin === undefined ? [{ final, line }] : []));
}

function toRanges(lines: readonly Blamed[], { graph }: FileHistory): BlameAnswer["ranges"] {
  const ranges: BlameAnswer["ranges"] = [];
  for (const { final, line, path, position } of lines) {
    const commit = position === undefined ? null : (graph.at(position)?.commit ?? null);
    const last = ranges.at(-1);
    const goesOn =
      last !== undefined &&
      last.commit === commit &&
      last.path === path &&
      last.end_line === final &&
      (commit === null || last.original_line + last.end_line - last.start_line + 1 === line + 1);
    if (goesOn) {
      last.end_line = final + 1;
    } else {
      ranges.push({ start_line: final + 1, end_line: final + 1, commit, path, original_line: line + 1 });
    }
  }
  return ranges;
}
