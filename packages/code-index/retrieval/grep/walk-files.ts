import { filesAmong, filesFrom, type ChunkedFile, type FilePlace, type TextFile } from "./read-texts.store.ts";
import type { RepositoryInScope, Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { Candidates } from "#retrieval/patterns/candidates.ts";

type Walk = {
  /** What is searched, in order. */
  readonly builds: readonly Pick<RepositoryInScope, "repo" | "generation">[];
  /** Where to begin; at the beginning when left out. */
  readonly from: FilePlace | undefined;
  /** Undefined when every chunk may hold a match. */
  readonly candidates: Candidates | undefined;
  /** Candidates that are looked up at once at first. */
  readonly atFirst?: number;
};

/** Up to this many candidates are looked up by their ids; of a repository with more, files are read in order and those without a candidate skipped. */
const MAX_AMONG = 20_000;
const FILES_IN_ORDER = 500;
/** More than are looked at for one name: every page looks all candidates up. */
const FILES_AMONG = 6_000;

export type WalkedFiles = {
  /** The files that may hold a match, with their candidates. */
  readonly files: readonly ChunkedFile[];
  /** The last that was looked at. */
  readonly upTo: FilePlace | undefined;
};

/** The files of a scope by repository and path, from a place on; some at a time, which are few at first, since a page is often full soon. */
export async function* walkFiles(
  query: TenantQuery,
  scope: Scope,
  { builds, from, candidates, atFirst = MAX_AMONG }: Walk,
): AsyncGenerator<WalkedFiles, void, undefined> {
  const begin = Math.max(0, from === undefined ? 0 : builds.findIndex(({ repo }) => repo === from.repo));
  let size = atFirst;
  for (let at = begin; at < builds.length;) {
    const generations = builds.slice(at).map(({ generation }) => generation);
    const { builds: taken, chunkIds } = candidates?.firstOf(generations, size) ?? { builds: 1, chunkIds: [] };
    const repos = builds.slice(at, at + taken).map(({ repo }) => repo);
    const place = from !== undefined && repos[0] === from.repo ? from : { repo: repos[0] ?? "", path: "" };
    if (candidates === undefined || chunkIds.length > size) {
      for await (const some of page(Math.min(size, FILES_IN_ORDER), place, (next, limit) =>
        filesFrom(query, scope, { from: next, limit }),
      )) {
        yield { files: candidates === undefined ? some : some.flatMap((file) => withOnly(file, candidates)), upTo: some.at(-1) };
      }
    } else if (chunkIds.length > 0) {
      const among = { chunkIds, repos };
      for await (const files of page(FILES_AMONG, place, (next, limit) => filesAmong(query, scope, { ...among, from: next, limit }))) {
        yield { files, upTo: files.at(-1) };
      }
    }
    at += taken;
    size = Math.min(size * 2, MAX_AMONG);
  }
}

function withOnly(file: ChunkedFile, { has }: Candidates): readonly ChunkedFile[] {
  const chunkIds = file.chunk_ids.filter(has);
  return chunkIds.length === 0 ? [] : [{ ...file, chunk_ids: chunkIds }];
}

/** All that is read from a place on, page by page, of which each begins with the last file of the one before. */
async function* page<File extends TextFile>(
  size: number,
  begin: FilePlace,
  read: (from: FilePlace, limit: number) => Promise<readonly File[]>,
): AsyncGenerator<readonly File[], void, undefined> {
  let files = await read(begin, size);
  yield files;
  for (let last = files.at(-1); last !== undefined && files.length === size; last = files.at(-1)) {
    files = await read(last, size);
    yield files.slice(1);
  }
}

/** Files whose texts are read at once, by a measure of each. */
export function* inPortions<File>(
  files: readonly File[],
  sizeOf: (file: File) => number,
  most: () => number,
): Generator<readonly File[], void, undefined> {
  let portion: File[] = [];
  let size = 0;
  for (const file of files) {
    if (portion.length > 0 && size + sizeOf(file) > most()) {
      yield portion;
      portion = [];
      size = 0;
    }
    portion.push(file);
    size += sizeOf(file);
  }
  if (portion.length > 0) {
    yield portion;
  }
}
