import { LATE, within } from "@sightline/foundation/deadline";
import type { FoundReference, Precision, UseKind } from "#contract.ts";
import { readTexts, type TextFile } from "#retrieval/grep/read-texts.store.ts";
import { inPortions, walkFiles } from "#retrieval/grep/walk-files.ts";
import { findCandidates, narrowByText } from "#retrieval/patterns/candidates.ts";
import { compilePattern } from "#retrieval/patterns/compile-pattern.ts";
import type { IndexMemory, KnownUses } from "#retrieval/scope/index-memory.ts";
import type { NameFinder } from "#splitting/uses/name-finder.ts";
import { usesOfKind } from "#splitting/name-lines.ts";
import type { RepositoryInScope, Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { KnownPlace } from "./exact-places.ts";
import { linesByPrecision, type PreciseLine } from "./lines-by-precision.ts";
import { readOutlines, type OutlineRow } from "./read-symbols.store.ts";

/** Most files that are looked at for one name. */
export const MAX_FILES = 5_000;

/** Reading the files of fewer chunks takes no longer than comparing those. */
const MIN_NARROWED = 10;

/** Where more chunks than this hold a name, files enough are found without comparing them all. */
const ENOUGH_CHUNKS = 3 * MAX_FILES;

type Holding = {
  readonly name: string;
  readonly memory: IndexMemory;
  readonly builds: readonly RepositoryInScope[];
  readonly until: number;
};
type Held = { readonly files: readonly TextFile[]; readonly isWhole: boolean; readonly home: number | undefined };

/** The first files that may hold a name letter for letter, by repository and path; `isWhole` unless there are more, or may be. */
export async function filesHolding(query: TenantQuery, scope: Scope, { name, memory, builds, until }: Holding): Promise<Held> {
  const candidates = await narrowByText(query, scope, {
    candidates: await findCandidates(query, scope, { ...compilePattern({ source: name, isRegex: false, isCaseSensitive: true }), memory }),
    least: MIN_NARROWED,
    held: { text: name, as: "a whole word" },
    enough: ENOUGH_CHUNKS,
    until,
  });
  const found: TextFile[] = [];
  for await (const { files } of walkFiles(query, scope, { builds, from: undefined, candidates })) {
    found.push(...files.map(({ chunk_ids: _chunks, ...file }) => file));
    if (found.length > MAX_FILES || performance.now() > until) {
      return { files: found.slice(0, MAX_FILES), isWhole: false, home: candidates?.home };
    }
  }
  return { files: found, isWhole: true, home: candidates?.home };
}

/** Milliseconds for filling the page, and for counting what it has no room for, from when the looking began. */
export type ReferenceLimits = { readonly lookMs: number; readonly countMs: number };

type Reading = {
  /** Those that have what is meant, exactly, come first. */
  readonly files: readonly TextFile[];
  /** How many those are: all their exact lines are listed before any line by name. */
  readonly exactFiles: number;
  readonly name: string;
  readonly finder: NameFinder;
  readonly memory: IndexMemory;
  /** Tells the tenant's documents from those of any other; undefined where that is not known. */
  readonly home: number | undefined;
  /** Where in a document uploaded indexes know what the name is; `undefined` where none knows the document. */
  readonly placesIn: (document: number) => Iterable<KnownPlace> | undefined;
  /** Whether a line is to be listed. */
  readonly isListed: (line: PreciseLine) => boolean;
  /** How many lines are needed; the others are counted. */
  readonly wanted: number;
  /** By `performance.now()`. */
  readonly since: number;
  readonly limits: ReferenceLimits;
};

export type FoundLines = {
  readonly listed: readonly FoundReference[];
  /** Lines to list, also those beyond what was wanted. */
  readonly total: number;
  readonly precisions: Readonly<Record<Precision, number>>;
  /** Lines that have the name for other symbols alone. */
  readonly others: number;
  readonly files: number;
  readonly counts: Readonly<Record<UseKind, number>>;
  /** False where time ran out before every file was looked at. */
  readonly isWhole: boolean;
  /** Files that there was no time to parse: all that is known of their lines is that they have the name. */
  readonly unparsed: number;
};

const PORTION_BYTES = 256 * 1024;
const NO_TEXTS: ReadonlyMap<number, string> = new Map();
/** From the beginning on: a parser that is just started on a busy machine takes seconds, and a call has fifteen. */
const PARSE_MS = 10_000;

/** Goes through files until their time is over, and says of every line that has the name what it does with it. */
export async function readNameLines(query: TenantQuery, scope: Scope, reading: Reading): Promise<FoundLines> {
  const { files, exactFiles, name, finder, memory, home, placesIn, isListed, wanted, since, limits } = reading;
  const counts: Record<UseKind, number> = { definition: 0, implementation: 0, import: 0, write: 0, call: 0, type: 0, read: 0, text: 0 };
  const listed: Readonly<Record<Precision, FoundReference[]>> = { exact: [], name: [] };
  const precisions: Record<Precision, number> = { exact: 0, name: 0 };
  let inFiles = 0;
  let looked = 0;
  let unparsed = 0;
  let others = 0;
  // What ran out of time is the beginning of the whole list, so that pages fit together.
  const listedSoFar = () => (looked < exactFiles ? listed.exact : [...listed.exact, ...listed.name]);
  const foundSoFar = (isWhole: boolean): FoundLines => {
    const total = precisions.exact + precisions.name;
    return { listed: listedSoFar(), total, precisions, others, files: inFiles, counts, unparsed, isWhole };
  };
  // Forks and copies share their texts, and a document never changes.
  const parsings = new Map<number, Promise<KnownUses | typeof LATE>>();
  const keyOf = (id: number) => JSON.stringify([home, id, name]);
  const knownOf = (id: number) => (home === undefined ? undefined : memory.uses.get(keyOf(id)));
  for (const portion of inPortions(
    files,
    (file) => file.bytes,
    () => PORTION_BYTES,
  )) {
    const isFull = listedSoFar().length >= wanted;
    if (looked > 0 && performance.now() - since > (isFull ? limits.countMs : limits.lookMs)) {
      return foundSoFar(false);
    }
    const unread = portion
      .map((file) => file.document_id)
      .filter((id) => !isFull || knownOf(id) === undefined || placesIn(id) !== undefined);
    const documents = [...new Set(unread)];
    const texts = documents.length === 0 ? NO_TEXTS : await readTexts(query, scope, documents);
    const outlines = Map.groupBy(documents.length === 0 ? [] : await readOutlines(query, scope, documents), (row) => row.document_id);
    const parse = async (id: number, language: string): Promise<KnownUses | typeof LATE> => {
      const own = (outlines.get(id) ?? []).filter((row) => isNamed(row, name));
      const left = Math.max(1, since + PARSE_MS - performance.now());
      const uses = await within(() => finder.find({ text: texts.get(id) ?? "", language, name, isDefined: own.length > 0 }), left);
      if (uses !== LATE && home !== undefined) {
        memory.uses.set(keyOf(id), { uses, own });
      }
      return uses === LATE ? LATE : { uses, own };
    };
    const found = await Promise.all(
      portion.map(async ({ document_id: id, bytes: _bytes, ...place }) => {
        const outline = outlines.get(id) ?? [];
        const text = texts.get(id) ?? "";
        const parsing = parsings.get(id) ?? Promise.resolve(knownOf(id) ?? parse(id, place.language));
        parsings.set(id, parsing);
        const parsed = await parsing;
        unparsed += parsed === LATE ? 1 : 0;
        const { uses, own } =
          parsed === LATE ? { uses: usesOfKind(text, name, "read"), own: outline.filter((row) => isNamed(row, name)) } : parsed;
        return { place, text, outline, ...linesByPrecision({ text, name, uses, own, places: placesIn(id) }) };
      }),
    );
    for (const { place, text, outline, lines, others: explained } of found) {
      const shown = lines.filter(isListed);
      lines.forEach(({ kind }) => counts[kind]++);
      others += explained;
      inFiles += shown.length > 0 ? 1 : 0;
      for (const line of shown) {
        precisions[line.precision]++;
        if (!isFull && listed[line.precision].length < wanted) {
          listed[line.precision].push({ ...place, ...present(text, line, outline) });
        }
      }
    }
    looked += portion.length;
  }
  return foundSoFar(true);
}

function isNamed({ name: defined }: OutlineRow, name: string): boolean {
  return defined === name || /[^.:#]+$/u.exec(defined)?.[0] === name;
}

function present(
  text: string,
  { line, at, kind, precision }: PreciseLine,
  outline: readonly OutlineRow[],
): Pick<FoundReference, "line" | "text" | "kind" | "within" | "precision"> {
  const from = text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", at);
  const whole = text.slice(from, end === -1 ? text.length : end);
  return { line, text: lineAround(whole, at - from), kind, within: withinOf(outline, line), precision };
}

/** The innermost definition around a line. Rows are by their first line, the longer ones before. */
function withinOf(outline: readonly OutlineRow[], line: number): string | null {
  const around = outline.findLast((row) => row.start_line <= line && row.end_line >= line && row.end_line > row.start_line);
  if (around === undefined) {
    return null;
  }
  return around.scope === "" ? around.name : `${around.scope} › ${around.name}`;
}

const MAX_LINE_LENGTH = 300;
/** Characters kept before a name that is far into its line. */
const BEFORE = 100;

function lineAround(text: string, at: number): string {
  const line = text.replace(/\s+$/u, "");
  if (line.length <= MAX_LINE_LENGTH) {
    return line;
  }
  const from = at + BEFORE > MAX_LINE_LENGTH ? at - BEFORE : 0;
  const cut = line.slice(from, from + MAX_LINE_LENGTH).toWellFormed();
  return `${from > 0 ? "…" : ""}${cut}${from + MAX_LINE_LENGTH < line.length ? "…" : ""}`;
}
