import { isExactNumber } from "@sightline/foundation/exact-json";
import microdiff from "microdiff";
import { isFoldable, valueAt, type JsonPath } from "#features/traces/json/json-rows.ts";

export type StateChange = {
  readonly path: JsonPath;
  readonly kind: "added" | "removed" | "changed";
  readonly before: unknown;
  readonly after: unknown;
};

/** One line of the tree of changes: what holds changes, or a change. */
export type ChangeRow = {
  readonly id: string;
  readonly depth: number;
  readonly key: string | number;
  readonly change: StateChange | undefined;
};

/** Changes of one view; how many there are is said. */
export const MAX_CHANGES = 500;

/** What differs between two states. A state that is no object is one with the single key `value`. */
export function stateChanges(before: unknown, after: unknown): readonly StateChange[] {
  const [left, right] = [toObject(before), toObject(after)];
  const isList = Array.isArray(left) && Array.isArray(right);
  const changes = microdiff(isList ? left : { ...left }, isList ? right : { ...right }, { cyclesFix: false });
  return changes.map((change): StateChange => {
    const { path } = change;
    const above = path.slice(0, -1);
    const number = valueAt(right, above);
    if (isExactNumber(number)) {
      return { path: above, kind: "changed", before: valueAt(left, above), after: number };
    }
    switch (change.type) {
      case "CREATE":
        return { path, kind: "added", before: undefined, after: change.value };
      case "REMOVE":
        return { path, kind: "removed", before: change.oldValue, after: undefined };
      case "CHANGE":
        return { path, kind: "changed", before: change.oldValue, after: change.value };
      default:
        return change satisfies never;
    }
  });
}

function toObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : { value };
}

/** The changes as a tree: each key above a change once. */
export function changeRows(changes: readonly StateChange[]): readonly ChangeRow[] {
  const rows: ChangeRow[] = [];
  const shown = new Set<string>();
  // Together what belongs together, in the order of the first change there.
  for (const change of grouped(changes.slice(0, MAX_CHANGES))) {
    for (const [index, key] of change.path.entries()) {
      const id = JSON.stringify(change.path.slice(0, index + 1));
      const isChange = index === change.path.length - 1;
      if (isChange || !shown.has(id)) {
        shown.add(id);
        rows.push({ id: isChange ? `${id}=` : id, depth: index, key, change: isChange ? change : undefined });
      }
    }
  }
  return rows;
}

function grouped(changes: readonly StateChange[], depth = 0): readonly StateChange[] {
  const groups = Map.groupBy(changes, ({ path }) => path[depth]);
  return [...groups.values()].flatMap((group) =>
    group.length === 1
      ? group
      : [
          ...group.filter(({ path }) => path.length === depth + 1),
          ...grouped(
            group.filter(({ path }) => path.length > depth + 1),
            depth + 1,
          ),
        ],
  );
}

/** Texts of which the words that differ can be shown; longer ones would take too long to compare. */
export function isTextChange({ kind, before, after }: StateChange): boolean {
  return (
    kind === "changed" &&
    typeof before === "string" &&
    typeof after === "string" &&
    before.length + after.length <= 40_000 &&
    (isFoldable(before) || isFoldable(after))
  );
}

/** What a node returned, of a Command its update; undefined where that has no keys. */
export function readUpdate(output: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof output !== "object" || output === null || Array.isArray(output)) {
    return undefined;
  }
  const isCommand = Reflect.get(output, "lg_name") === "Command";
  const update: unknown = isCommand ? Reflect.get(output, "update") : output;
  return typeof update === "object" && update !== null && !Array.isArray(update) ? Object.fromEntries(Object.entries(update)) : undefined;
}
