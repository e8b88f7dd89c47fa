import type { FileChange } from "#contract.ts";
import type { ChangeRow } from "./read-changes.store.ts";
import type { Step } from "./steps-between.ts";

type Made = { readonly change: ChangeRow; readonly reversed: boolean };

/** A file that differs between the two ends of a way; of one that came or went one name is null. */
export type ChangedFile = {
  readonly from: string | null;
  readonly to: string | null;
  /** What led from one to the other. */
  readonly made: readonly Made[];
};

/** Which files differ between two commits, by what each commit on the way between them changed; with the names of moved ones. */
export function composeChanges(steps: readonly Step[], changesOf: (position: number) => readonly ChangeRow[]): readonly ChangedFile[] {
  const now = new Map<string, Omit<ChangedFile, "to">>();
  const gone = new Map<string, readonly Made[]>();
  for (const { position, undo } of steps) {
    const moves = changesOf(position).map((change) => {
      const { from, to } = endsOf(change, undo);
      const before = from === null ? { from: null, made: [] } : (now.get(from) ?? { from, made: [] });
      return { from, to, first: before.from, made: [...before.made, { change, reversed: undo }] };
    });
    for (const { from } of moves) {
      now.delete(from ?? "");
    }
    for (const { from, to, first, made } of moves) {
      const removed = from === null && to !== null ? gone.get(to) : undefined;
      if (to === null) {
        if (first !== null) {
          gone.set(first, made);
        }
      } else if (removed !== undefined) {
        gone.delete(to);
        now.set(to, { from: to, made: [...removed, ...made] });
      } else {
        now.set(to, { from: first, made });
      }
    }
  }
  return [
    ...[...now].map(([to, file]) => ({ ...file, to })),
    ...[...gone].filter(([from]) => now.get(from)?.from !== from).map(([from, made]) => ({ from, to: null, made })),
  ]
    .filter((file) => !isSame(file))
    .toSorted((one, other) => (currentPath(one) < currentPath(other) ? -1 : 1));
}

/** Whether both ends are known to have the same content: one side undoes what led to it, the other does it again. */
function isSame({ from, to, made }: ChangedFile): boolean {
  const [first, last] = [made.at(0), made.at(-1)];
  const isAcross = first?.reversed === true && last?.reversed === false;
  return from === to && isAcross && first.change.blob !== null && first.change.blob === last.change.blob;
}

export function currentPath({ from, to }: Pick<ChangedFile, "from" | "to">): string {
  return to ?? from ?? "";
}

export function toChangeStatus({ from, to }: Pick<ChangedFile, "from" | "to">): FileChange["status"] {
  if (from === null) {
    return "added";
  }
  return to === null ? "deleted" : from === to ? "modified" : "renamed";
}

/** A file's name before and after a step. */
function endsOf({ path, old_path: old, status }: ChangeRow, undo: boolean): { readonly from: string | null; readonly to: string | null } {
  const from = status === "added" ? null : (old ?? path);
  const to = status === "deleted" ? null : path;
  return undo ? { from: to, to: from } : { from, to };
}
