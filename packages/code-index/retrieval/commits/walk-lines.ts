import { newestChange, type FileHistory } from "./file-at-commit.ts";
import { diffOfLines } from "./line-diff.ts";
import { parsePatch, type Hunk } from "./patch.ts";
import type { ChangeRow, CommitNode } from "./read-changes.store.ts";

/** Lines of a file at a commit, whose origin is looked for. */
export type Suspect<Line> = { readonly position: number; readonly path: string; readonly lines: readonly Line[] };

export type Visit<Line> = {
  readonly node: CommitNode;
  /** What the commit changed of the file, against its first parent. */
  readonly change: ChangeRow;
  readonly lines: readonly Line[];
  /** Has lines looked for in an older commit. */
  readonly passOn: (to: CommitNode | undefined, path: string, lines: readonly Line[]) => void;
};

export type Visitor<Line> = {
  /** @returns false to end the walk. */
  readonly visit: (visit: Visit<Line>) => Promise<boolean>;
  /** Lines that are older than the commits that are kept. */
  readonly older: (path: string, lines: readonly Line[]) => void;
};

/** Goes back through the commits that changed a file, the newest first, as far as lines are passed on. */
export async function walkLines<Line>(history: FileHistory, first: Suspect<Line>, { visit, older }: Visitor<Line>): Promise<void> {
  const { graph } = history;
  const waiting = new Map<string, Suspect<Line>>();
  const passOn = (node: CommitNode | undefined, path: string, lines: readonly Line[]) => {
    if (node === undefined) {
      older(path, lines);
    } else if (lines.length > 0) {
      const key = `${node.position} ${path}`;
      waiting.set(key, { position: node.position, path, lines: [...(waiting.get(key)?.lines ?? []), ...lines] });
    }
  };
  passOn(graph.at(first.position), first.path, first.lines);
  for (let next = newestOf(waiting); next !== undefined; next = newestOf(waiting)) {
    const { position, path, lines } = next;
    waiting.delete(`${position} ${path}`);
    const changes = await history.changesOf(path);
    const node = graph.at(position);
    const change = changes.at(position, path, "new");
    if (node === undefined || change === undefined) {
      // It was not touched since an older commit of its first parents.
      passOn(node === undefined ? undefined : newestChange(graph, graph.parent(node), { changes, name: path })?.node, path, lines);
    } else if (!(await visit({ node, change, lines, passOn }))) {
      return;
    }
  }
}

function newestOf<Line>(waiting: ReadonlyMap<string, Suspect<Line>>): Suspect<Line> | undefined {
  return [...waiting.values()].reduce<Suspect<Line> | undefined>(
    (best, each) => (best !== undefined && best.position >= each.position ? best : each),
    undefined,
  );
}

type Since = { readonly parent: CommitNode; readonly node: CommitNode; readonly path: string };

/** What a merge changed of a file against another parent than its first; `undefined` where that one does not have it. */
export async function hunksSince(history: FileHistory, { parent, node, path }: Since): Promise<readonly Hunk[] | undefined> {
  const before = await history.linesAt(parent.position, path).catch(() => undefined);
  return before === undefined ? undefined : parsePatch(diffOfLines(before, await history.linesAt(node.position, path)).patch);
}
