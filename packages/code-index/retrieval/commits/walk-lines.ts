import { newestChange, type FileHistory } from "./file-at-commit.ts";
import { diffOfLines } from "./line-diff.ts";
import { parsePatch, type Hunk } from "./patch.ts";
import type { PatchedChange } from "./read-changes.store.ts";

/** Lines of a file at a commit, whose origin is looked for. */
export type Suspect<Line> = { readonly position: number; readonly path: string; readonly lines: readonly Line[] };

export type Visit<Line> = {
  /** What a commit changed of the file, against its first parent. */
  readonly change: PatchedChange;
  /** The commit's other parents, if it is a merge. */
  readonly others: readonly number[];
  readonly lines: readonly Line[];
  /** Has lines looked for in an older commit. */
  readonly passOn: (to: number | undefined, path: string, lines: readonly Line[]) => void;
};

export type Visitor<Line> = {
  /** @returns false to end the walk. */
  readonly visit: (visit: Visit<Line>) => Promise<boolean>;
  /** Lines that are older than the commits that are kept. */
  readonly older: (path: string, lines: readonly Line[]) => void;
};

/** Goes back through the commits that changed a file, the newest first, as far as lines are passed on. */
export async function walkLines<Line>(history: FileHistory, first: Suspect<Line>, { visit, older }: Visitor<Line>): Promise<void> {
  const { firstParents } = history;
  const waiting = new Map<string, Suspect<Line>>();
  const passOn = (position: number | undefined, path: string, lines: readonly Line[]) => {
    if (position === undefined) {
      older(path, lines);
    } else if (lines.length > 0) {
      const key = `${position} ${path}`;
      waiting.set(key, { position, path, lines: [...(waiting.get(key)?.lines ?? []), ...lines] });
    }
  };
  passOn(first.position, first.path, first.lines);
  for (let next = newestOf(waiting); next !== undefined; next = newestOf(waiting)) {
    const { position, path, lines } = next;
    waiting.delete(`${position} ${path}`);
    const changes = await history.changesOf(path);
    const change = changes.at(position, path, "new");
    if (change === undefined) {
      // It was not touched since an older commit of its first parents.
      passOn(newestChange(firstParents, firstParents.of(position), { changes, name: path })?.position, path, lines);
    } else if (!(await visit({ change, others: changes.otherParents(position), lines, passOn }))) {
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

/** What a merge changed of a file against another parent than its first; `undefined` where that one does not have it. */
export async function hunksSince(
  history: FileHistory,
  parent: number,
  { position, path }: PatchedChange,
): Promise<readonly Hunk[] | undefined> {
  const old = await history.linesAt(parent, path).catch(() => undefined);
  return old && parsePatch(diffOfLines({ before: old, after: await history.linesAt(position, path) }).patch);
}
