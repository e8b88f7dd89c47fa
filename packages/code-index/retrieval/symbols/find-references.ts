import type { ReferencesAnswer, ReferencesRequest } from "#contract.ts";
import { documentsUsing, type SymbolRow } from "./read-symbols.store.ts";
import type { TextFile } from "#retrieval/grep/read-texts.store.ts";
import type { Access, Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { askedScope, notesOnEmptyScope, notesOnLeftOut } from "#retrieval/scope/asked-scope.ts";
import { findExactMeaning, readPosition, type ExactMeaning } from "./exact-meaning.ts";
import { createPlaceReader, readKnownFiles } from "./exact-places.ts";
import { notesOnImplementations, withOverridden } from "./exact-relations.ts";
import type { ExactSymbol } from "./read-exact.store.ts";
import { namesOfSymbol } from "#scip/format/symbol-names.ts";
import { findDefinitions, suggestNames, presentSymbols } from "./find-symbol.ts";
import { createPaging, nameBuilds, type FoundPage } from "#retrieval/scope/page-cursor.ts";
import { narrower, readScope } from "#retrieval/scope/read-scope.ts";
import type { Semaphore } from "@sightline/foundation/semaphore";
import type { IndexMemory } from "#retrieval/scope/index-memory.ts";
import type { NameFinder } from "#splitting/uses/name-finder.ts";
import { notesOnMethodSets } from "./method-sets.ts";
import { nearestFiles } from "./near-files.ts";
import { notesOnPosition } from "./notes-on-position.ts";
import { filesHolding, MAX_FILES, readNameLines, type FoundLines, type ReferenceLimits } from "./read-name-lines.ts";
import { readSymbolName } from "./symbol-name.ts";

export type ReferenceDependencies = {
  readonly database: CodeIndexDatabase;
  readonly finder: NameFinder;
  readonly memory: IndexMemory;
  /** Made once for each process, by `createGrepLimit`: both read whole files for seconds. */
  readonly limit: Semaphore;
  readonly limits?: ReferenceLimits;
};

/** A single statement that takes longer is given up. */
const STATEMENT_MS = 8_000;
const LIMITS: ReferenceLimits = { lookMs: 5_000, countMs: 150 };
const DEFINITIONS = 10;

/**
 * Where a name is used, beginning with what is nearest to its definition: of every line that has it as a whole word what it does with
 * it. The text says which lines those are, the grammar what they do; two things of the same name are told apart where an uploaded
 * SCIP index knows the file as it is.
 *
 * @throws {AppError} `invalid_query`, `invalid_cursor` (400), `too_busy` (503) when too many run at once, and as `readScope`.
 */
export async function findReferences(
  { database, finder, memory, limit: scanLimit, limits = LIMITS }: ReferenceDependencies,
  access: Access,
  { symbol, all, kind: wanted, limit, cursor, ...where }: ReferencesRequest,
): Promise<FoundPage<ReferencesAnswer>> {
  const began = performance.now();
  const asked = readSymbolName(symbol);
  const scope = askedScope(access, where);
  const read: Parameters<typeof readScope<FoundPage<ReferencesAnswer>>>[1] = async (transaction, builds) => {
    const paging = createPaging(["references", access.tenant.tenantId, asked, all, wanted, where, nameBuilds(builds)]);
    const before = paging.shownBefore(cursor);
    // The definition may lie outside the folder that is asked for.
    const position = readPosition(where);
    const whole = { ...scope, path: undefined, lang: undefined };
    const { rows: definitions, notes: notesOnUse } = await findDefinitions(transaction, whole, { symbolName: asked, position, finder });
    const nearest = definitions.slice(0, DEFINITIONS);
    const find = async (name: string) => {
      const since = performance.now();
      const held = await filesHolding(transaction, scope, { name, memory, builds, until: since + limits.lookMs });
      const nearestMeaning = await findExactMeaning(transaction, scope, { symbolName: { ...asked, name }, position });
      // A name in other case is another name; it is what was meant only where nothing is written as it was asked for.
      const own = nearestMeaning?.isPlaced === true || nearestMeaning?.symbols[0]?.name === name ? nearestMeaning : undefined;
      const { meaning, overridden } = own === undefined ? { meaning: own, overridden: [] } : await withOverridden(transaction, scope, own);
      const { holding, having, placesIn } = await filesMeant(transaction, scope, { meaning, holding: held.files });
      const files = holding.slice(0, MAX_FILES);
      const documents = files.map((file) => file.document_id);
      const usesOuter = asked.outer === undefined ? new Set<number>() : await documentsUsing(transaction, scope, asked.outer, documents);
      const ordered = nearestFiles(files, nearest, usesOuter);
      const exact = ordered.filter((file) => having.has(file.document_id));
      const lines = await readNameLines(transaction, scope, {
        files: [...exact, ...ordered.filter((file) => !having.has(file.document_id))],
        exactFiles: exact.length,
        name,
        finder,
        memory,
        home: held.home,
        placesIn,
        isListed: ({ kind, isDefining }) => (wanted === undefined ? all || (kind !== "text" && !isDefining) : kind === wanted),
        wanted: before + limit,
        since,
        limits,
      });
      return { ...lines, name, meaning, own, overridden, isWhole: lines.isWhole && held.isWhole && holding.length <= MAX_FILES };
    };
    const exact = await find(asked.name);
    const [defined] = definitions;
    // Nothing is called so: what is asked for is written otherwise where it is defined.
    const isOther = isEmpty(exact) && defined !== undefined && defined.name !== asked.name;
    const found = isOther ? await find(defined.name) : exact;
    const page = found.listed.slice(before, before + limit);
    const shown = before + page.length;
    const { name, isWhole, meaning, own, overridden } = found;
    return {
      definitions: await presentSymbols(transaction, scope, nearest),
      definitions_total: definitions.length,
      references: [...page],
      counts: found.counts,
      total: isWhole ? found.total : null,
      precisions: meaning === undefined ? null : found.precisions,
      other_symbols: found.others,
      files_total: found.files,
      partial: !isWhole,
      notes: [
        ...notesOn(scope, { name, isOther, definitions, found, meaning, isWhole }),
        ...(isEmpty(found) && isWhole
          ? [`No line uses ${asked.name.slice(0, 100)}; ${await suggestNames(transaction, scope, asked)}.`]
          : []),
        ...(overridden.length === 0 ? [] : [`Uses of what it overrides are listed, too: ${namesOf(overridden)}.`]),
        ...(wanted === "implementation"
          ? [...(await notesOnMethodSets(transaction, scope, definitions)), ...(await notesOnImplementations(transaction, scope, own))]
          : []),
        ...notesOnUse,
        ...(await notesOnPosition(transaction, scope, position, { name, meaning })),
        ...(found.total === 0 ? await notesOnEmptyScope(transaction, scope) : []),
        ...(before === 0 ? await notesOnLeftOut(transaction, scope, { memory, builds }) : []),
      ],
      next_cursor: page.length > 0 && (shown < found.total || !found.isWhole) ? paging.cursorAfter(shown) : null,
      ms: Math.round((performance.now() - began) * 10) / 10,
      cursorAfter: (count) => paging.cursorAfter(before + count),
    };
  };
  return scanLimit.run(access.tenant.tenantId, database.signal, () => readScope({ database, scope, milliseconds: STATEMENT_MS }, read));
}

const OVERRIDDEN = 5;

function namesOf(symbols: readonly ExactSymbol[]): string {
  const names = symbols.map(({ symbol }) => namesOfSymbol(symbol).names.slice(-2).join("."));
  return [...new Set(names)].slice(0, OVERRIDDEN).join(", ");
}

type Meant = { readonly meaning: ExactMeaning | undefined; readonly holding: readonly TextFile[] };

/** The files that have the name or, as far as uploaded indexes know, what it means, which those of `having` do. */
async function filesMeant(query: TenantQuery, scope: Scope, { meaning, holding }: Meant) {
  if (meaning === undefined) {
    return { holding, having: new Set<number>(), placesIn: () => undefined };
  }
  const named = holding.map((file) => file.document_id);
  const { having, known } = await readKnownFiles(query, scope, meaning, named);
  const exact = having.map(({ repo, ref, commit, path, language, document_id, bytes }) => {
    return { repo, ref, commit, path, language, document_id, bytes };
  });
  const read = createPlaceReader(meaning);
  return {
    holding: [...new Map([...exact, ...holding].map((file) => [`${file.repo} ${file.path}`, file])).values()],
    having: new Set(having.map((file) => file.document_id)),
    placesIn: (document: number) => {
      const documents = known.get(document);
      return documents === undefined ? undefined : read(documents);
    },
  };
}

function isEmpty({ counts }: FoundLines): boolean {
  return Object.values(counts).every((count) => count === 0);
}

type Noted = {
  readonly name: string;
  readonly isOther: boolean;
  readonly definitions: readonly SymbolRow[];
  readonly found: FoundLines;
  readonly meaning: ExactMeaning | undefined;
  readonly isWhole: boolean;
};

function notesOn(
  scope: Scope,
  { name, isOther, definitions, found: { total, precisions, others, unparsed }, meaning, isWhole }: Noted,
): string[] {
  const shown = name.slice(0, 100);
  const kinds = new Set(definitions.slice(0, DEFINITIONS).map(({ path, repo, scope: outer }) => `${repo} ${path} ${outer}`));
  return [
    ...(isOther ? [`Nothing has exactly the name that was asked for; this is of ${name}.`] : []),
    ...(kinds.size > 1 && total > 0 && meaning?.isPlaced !== true && others === 0
      ? ["Several definitions have this name; uses of all of them are listed."]
      : []),
    ...(meaning !== undefined && precisions.name > 0
      ? [
          `${precisions.name} lines are by name: no uploaded index says which ${shown} they use, so it may be another definition of that name.`,
        ]
      : []),
    ...(others > 0 ? [`${others} more lines have ${shown} for another symbol, as an uploaded index knows; they are not listed.`] : []),
    ...(unparsed > 0 ? [`There was no time to parse ${unparsed} of the files: their lines count as read.`] : []),
    ...(isWhole ? [] : [`Not everything was looked at: there are at least as many lines; ${narrower(scope)}.`]),
  ];
}
