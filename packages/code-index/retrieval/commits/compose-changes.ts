import type { FileChange } from "#contract.ts";
import type { Step } from "./commit-graph.ts";
import type { ChangeRow } from "./read-changes.store.ts";

/** A file that differs between the two ends of a way; of one that came or went one name is null. */
export type ChangedFile = {
  readonly from: string | null;
  readonly to: string | null;
  /** The change that made the difference where one alone did. */
  readonly only: { readonly change: ChangeRow; readonly reversed: boolean } | undefined;
};

type Followed = { readonly from: string | null; readonly only: ChangedFile["only"] };

/** Which files differ between two commits, by what each commit on the way between them changed; with the names of moved ones. */
export function composeChanges(steps: readonly Step[], changesOf: (position: number) => readonly ChangeRow[]): readonly ChangedFile[] {
  const now = new Map<string, Followed>();
  const gone = new Map<string, ChangedFile["only"]>();
  for (const { node, back } of steps) {
    const moves = changesOf(node.position).map((change) => ({ change, ...endsOf(change, back) }));
    const leaving = moves.map(({ from, to, change }) => {
      const before = from === null ? undefined : (now.get(from) ?? { from, only: undefined });
      const isFirst = from === null ? !gone.has(to ?? "") : !now.has(from);
      return { to, from, before, only: isFirst ? { change, reversed: back } : undefined };
    });
    for (const { from } of leaving) {
      now.delete(from ?? "");
    }
    for (const { to, before, only } of leaving) {
      if (to === null) {
        if (before?.from !== null && before !== undefined) {
          gone.set(before.from, only);
        }
      } else if (before !== undefined) {
        now.set(to, { from: before.from, only });
      } else {
        now.set(to, { from: gone.delete(to) ? to : null, only });
      }
    }
  }
  return [
    ...[...now].map(([to, { from, only }]) => ({ from, to, only })),
    ...[...gone].filter(([from]) => !now.has(from) || now.get(from)?.from !== from).map(([from, only]) => ({ from, to: null, only })),
  ].toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

export function nameOf({ from, to }: Pick<ChangedFile, "from" | "to">): string {
  return to ?? from ?? "";
}

export function statusOf({ from, to }: Pick<ChangedFile, "from" | "to">): FileChange["status"] {
  if (from === null) {
    return "added";
  }
  return to === null ? "deleted" : from === to ? "modified" : "renamed";
}

/** A file's name before and after a step. */
function endsOf({ path, old_path: old, status }: ChangeRow, back: boolean): { readonly from: string | null; readonly to: string | null } {
  const from = status === "added" ? null : (old ?? path);
  const to = status === "deleted" ? null : path;
  return back ? { from: to, to: from } : { from, to };
}
