import { useKindSchema, type Precision, type UseKind } from "#contract.ts";
import { strongestOfLines, type NameUse } from "#splitting/name-lines.ts";
import type { KnownPlace } from "./exact-places.ts";
import type { OutlineRow } from "./read-symbols.store.ts";

/** A line that is counted, as what it does with the name, and whether that is to define what the answer lists as definitions. */
export type PreciseLine = NameUse & { readonly precision: Precision; readonly isDefining: boolean };

type Given = {
  readonly text: string;
  readonly name: string;
  /** All places of the text that have the name. */
  readonly uses: readonly NameUse[];
  /** Definitions of the file that have the name. */
  readonly own: readonly Pick<OutlineRow, "start_line" | "end_line">[];
  /** Where uploaded indexes know what the name is; `undefined` where none knows the file as it is. */
  readonly places: Iterable<KnownPlace> | undefined;
};

type Lines = {
  readonly lines: readonly PreciseLine[];
  /** How many more lines have the name, which is another symbol wherever it stands in them. */
  readonly others: number;
};

/**
 * The lines of a file: exact where an index has there what is meant, by name where no index says what the name is. Only where an index
 * has another symbol in that very place is the name not counted: a tool leaves out every place whose type it could not work out.
 */
export function linesByPrecision({ text, name, uses, own, places }: Given): Lines {
  const strongest = strongestOfLines(uses);
  const defining = linesDefining(strongest, own);
  const asByName = (use: NameUse): PreciseLine => {
    return { ...use, precision: "name", isDefining: use.kind === "definition" && defining.has(use.line) };
  };
  if (places === undefined) {
    return { lines: strongest.map(asByName), others: 0 };
  }
  const starts = [0, ...[...text.matchAll(/\n/gu)].map(({ index }) => index + 1)];
  const usesIn = Map.groupBy(uses, ({ line }) => line);
  const explained = new Set<NameUse>();
  const exact: PreciseLine[] = [];
  for (const { line: row, start, end, isMeant, isDefinition } of places) {
    const line = row + 1;
    const from = starts[row] ?? 0;
    const covered = (usesIn.get(line) ?? []).filter(({ at }) => from + start <= at && at + name.length <= from + end);
    covered.forEach((use) => explained.add(use));
    if (isMeant) {
      const { at, kind }: Omit<NameUse, "line"> = covered[0] ?? { at: from + start, kind: "text" };
      const isDefining = isDefinition && (kind === "text" || (kind === "definition" && defining.has(line)));
      exact.push({ line, at, kind: exactKind(kind, isDefinition), precision: "exact", isDefining });
    }
  }
  const unexplained = strongestOfLines(uses.filter((use) => !explained.has(use))).map(asByName);
  const byLine = Map.groupBy([...exact, ...unexplained], ({ line }) => line);
  const lines = [...byLine.values()].flatMap((those) => those.toSorted((one, other) => rankOf(one) - rankOf(other))[0] ?? []);
  return {
    lines: lines.toSorted((one, other) => one.line - other.line),
    others: [...usesIn.keys()].filter((line) => !byLine.has(line)).length,
  };
}

/** The line of each definition that has its name. */
function linesDefining(lines: readonly NameUse[], own: Given["own"]): ReadonlySet<number> {
  const defining = lines.filter(({ kind }) => kind === "definition");
  return new Set(own.flatMap((row) => defining.find(({ line }) => line >= row.start_line && line <= row.end_line)?.line ?? []));
}

/** The grammar says what is done, so that what was listed as a use before an upload still is; the index adds what it defines. */
function exactKind(kind: UseKind, isDefinition: boolean): UseKind {
  const isTold = kind !== "definition" && kind !== "text";
  return isTold && !(isDefinition && kind === "read") ? kind : isDefinition ? "definition" : "read";
}

/** A line that several places speak for is listed where one of them is a use; exactly where one of those is exact. */
function rankOf({ kind, precision, isDefining }: PreciseLine): number {
  const isListed = !isDefining && kind !== "text";
  const strength = kind === "definition" ? KINDS.length : KINDS.indexOf(kind);
  return (isListed ? 0 : 200) + (precision === "exact" ? 0 : 100) + strength;
}

const KINDS = useKindSchema.options;
