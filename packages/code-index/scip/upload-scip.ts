import { posix } from "node:path";
import type { Transaction } from "kysely";
import { refusal } from "@sightline/foundation/errors";
import type { ScipUploadAnswer } from "#contract.ts";
import type { CodeIndexTables } from "#schema.ts";
import { readTexts } from "#retrieval/grep/read-texts.store.ts";
import { inPortions } from "#retrieval/grep/walk-files.ts";
import type { Semaphore } from "@sightline/foundation/semaphore";
import type { Access, Scope } from "#store/tenancy/read-scope.store.ts";
import { readAs, withinTenant, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { collectDocuments, type Collected, type CollectedDocument } from "./collect-documents.ts";
import { findCommit, type KnownCommit } from "./find-commit.ts";
import { fitColumns } from "#scip/format/fit-columns.ts";
import { packOccurrences, unpackOccurrences } from "#scip/format/packed-occurrences.ts";
import { candidateRoots, chooseRoot, pathInRepository } from "./project-root.ts";
import { readScip } from "#scip/format/read-scip.ts";
import {
  deleteReplaced,
  filesAt,
  insertScipDocuments,
  insertScipSymbols,
  insertUpload,
  type IndexedFile,
  type NewScipSymbol,
} from "./scip-uploads.store.ts";
import { namesOfSymbol } from "#scip/format/symbol-names.ts";

type Uploading = {
  readonly repo: string;
  readonly repoId: string;
  readonly commit: string;
  /** The only branch that may be uploaded to; any when left out. */
  readonly branch?: string | undefined;
  readonly body: AsyncIterable<Buffer>;
  readonly now: Date;
};

const STATEMENT_MS = 30_000;
/** Paths that tell which folder of the repository the index is of. */
const SAMPLE = 200;
const PORTION_BYTES = 1024 * 1024;
const SYMBOLS = 5_000;
const MAX_NAME_LENGTH = 200;

/**
 * Keeps the SCIP index of a commit, in place of the one that the same tool made of the same folder of the branch before.
 *
 * @throws {AppError} `invalid_scip`, `invalid_scip_path`, `scip_does_not_fit` (400), `commit_not_found` (404), `body_too_large` (413), `too_busy` (503).
 */
export async function uploadScip(
  { database, limit }: { readonly database: CodeIndexDatabase; readonly limit: Semaphore },
  access: Access,
  uploading: Uploading,
): Promise<ScipUploadAnswer> {
  const { tenant } = access;
  const known = await readAs(database, tenant, STATEMENT_MS, (transaction) => findCommit(transaction, access, uploading));
  return limit.run(tenant.tenantId, database.signal, async () => {
    const collected = await collectDocuments(readScip(uploading.body));
    return withinTenant(database, tenant, { milliseconds: STATEMENT_MS }, (transaction) =>
      write(transaction, { ...access, repo: uploading.repo, ref: known.ref }, { ...uploading, known, collected }),
    );
  });
}

type Writing = Omit<Uploading, "body"> & { readonly known: KnownCommit; readonly collected: Collected };

async function write(
  query: Transaction<CodeIndexTables>,
  scope: Scope & { readonly repo: string },
  { repoId, commit, now, known: { ref, changed }, collected: { metadata, documents, symbols, bases } }: Writing,
): Promise<ScipUploadAnswer> {
  const { schema } = scope.tenant;
  const { root, placed } = await placeDocuments(query, scope, metadata.projectRoot, documents);
  const found = await filesAt(
    query,
    scope,
    placed.map(({ path }) => path),
  );
  const files = new Map(found.map((file) => [file.path, file]));
  const skipped = Map.groupBy(placed, ({ path }) => reasonToSkip(files.get(path), changed.has(path)));
  const kept = (skipped.get(undefined) ?? []).flatMap(({ document, path }) => {
    const file = files.get(path);
    return typeof file?.document_id === "number" ? [{ ...file, document_id: file.document_id, document }] : [];
  });
  const { tool, version } = metadata;
  const uploadId = await insertUpload(query, schema, { repoId, ref, commit, tool, version, root, now });
  if (uploadId === undefined) {
    throw refusal(404, "commit_not_found", `The branch ${ref} is not indexed any more.`);
  }
  const places = createSymbolPlaces(symbols, bases);
  let number = 0;
  for (const portion of inPortions(
    kept,
    (file) => file.bytes,
    () => PORTION_BYTES,
  )) {
    const texts = await readTexts(
      query,
      scope,
      portion.map((file) => file.document_id),
    );
    const rows = portion.map(({ path, blob, document, document_id: id }) => {
      places.add(number, document);
      return {
        number: number++,
        path,
        blob,
        symbols: document.symbols,
        signatures: document.descriptions.map(({ signature }) => signature),
        comments: document.descriptions.map(({ comment }) => comment),
        occurrences: `\\x${fitted(document, texts.get(id) ?? "").toString("hex")}`,
      };
    });
    await insertScipDocuments(query, schema, uploadId, rows);
  }
  const rows = places.rows();
  for (let at = 0; at < rows.length; at += SYMBOLS) {
    await insertScipSymbols(query, schema, uploadId, rows.slice(at, at + SYMBOLS));
  }
  await deleteReplaced(query, schema, uploadId);
  return {
    repo: scope.repo,
    ref,
    commit,
    tool,
    version,
    root,
    documents: kept.length,
    symbols: rows.length,
    definitions: kept.reduce((sum, { document }) => sum + document.defined.size, 0),
    occurrences: kept.reduce((sum, { document }) => sum + document.occurrences, 0),
    skipped: [...skipped].flatMap(([reason, those]) =>
      reason === undefined ? [] : [{ reason, files: those.length, examples: those.slice(0, 3).map(({ path }) => path) }],
    ),
  };
}

/** The folder that the tool was run in, and where the documents are in the repository. */
async function placeDocuments(
  query: Transaction<CodeIndexTables>,
  scope: Scope & { readonly repo: string },
  projectRoot: string,
  documents: readonly CollectedDocument[],
) {
  const candidates = candidateRoots(projectRoot);
  const paths = documents.slice(0, SAMPLE).map(({ path }) => path);
  const files = await filesAt(
    query,
    scope,
    candidates.flatMap((root) => paths.map((path) => posix.join(root, path.replaceAll("\0", "")))),
  );
  const known = new Set(files.map(({ path }) => path));
  const root = chooseRoot(candidates, paths, (path) => known.has(path));
  const placed = documents.map((document) => ({ document, path: pathInRepository(root, document.path) }));
  if (known.size === 0) {
    throw refusal(400, "scip_does_not_fit", `None of the index's ${documents.length} documents is a file of ${scope.repo} at this commit.`);
  }
  return { root, placed };
}

function reasonToSkip(file: IndexedFile | undefined, isChanged: boolean): string | undefined {
  if (file === undefined) {
    return "not in the repository";
  }
  return isChanged
    ? "changed since the commit"
    : file.document_id === null || file.skip_reason !== null
      ? (file.skip_reason ?? "not indexed")
      : undefined;
}

/** The document's occurrences with columns in UTF-16. @throws {AppError} `scip_does_not_fit` (400) */
function fitted({ path, unit, packed }: CollectedDocument, text: string): Buffer {
  const result = fitColumns(text, unit, [...unpackOccurrences(packed)]);
  if ("misfit" in result) {
    const { line, start, end } = result.misfit;
    throw refusal(
      400,
      "scip_does_not_fit",
      `The index does not fit the commit: ${path.slice(0, 200)} has no columns ${start} to ${end} in line ${line + 1}.`,
    );
  }
  return packOccurrences(result.fitted);
}

/** In which documents each symbol of an upload is. */
function createSymbolPlaces(symbols: readonly string[], bases: Collected["bases"]) {
  const known = new Map<number, { readonly definitions: number[]; readonly documents: number[] }>();
  return {
    add: (document: number, { symbols: own, defined }: CollectedDocument) => {
      for (const [index, symbol] of own.entries()) {
        if (symbol >= 0) {
          const places = known.get(symbol) ?? { definitions: [], documents: [] };
          known.set(symbol, places);
          places.documents.push(document);
          places.definitions.push(...(defined.has(index) ? [document] : []));
        }
      }
    },
    rows: (): readonly NewScipSymbol[] =>
      [...known].map(([number, places]) => {
        const symbol = symbols[number] ?? "";
        const name = (namesOfSymbol(symbol).names.at(-1) ?? "").slice(0, MAX_NAME_LENGTH);
        return { number, symbol, name, ...places, bases: [...(bases.get(number) ?? [])] };
      }),
  };
}
