import { useMemo, useState } from "react";
import { type JsonPath, type JsonRow, toRowId, isTruncated, jsonRows, openDepth } from "./json-rows.ts";

/** Rows that are open from the start. */
const OPEN_ROWS = 250;

/** The rows of a value that are not folded away; `columns` is how many characters a row has room for. */
export function useJsonFolds(value: unknown, columns: number | undefined) {
  const [folds, setFolds] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [base, setBase] = useState<number>();
  const depth = useMemo(() => base ?? openDepth(value, OPEN_ROWS), [base, value]);
  const rows = useMemo(
    () => jsonRows(value, (id, path, at) => folds.get(id) ?? (path.length < depth && !(base === undefined && isTruncated(at))), columns),
    [value, folds, depth, base, columns],
  );
  return {
    rows,
    toggle: ({ id, expanded }: JsonRow) => setFolds((before) => new Map(before).set(id, expanded !== true)),
    /** Opens everything around a value. */
    reveal: (path: JsonPath) =>
      setFolds((before) => new Map([...before, ...path.map((_key, index) => [toRowId(path.slice(0, index)), true] as const)])),
    /** Opens everything down to a depth and folds the rest. */
    openTo: (level: number) => {
      setFolds(new Map());
      setBase(level);
    },
  };
}
