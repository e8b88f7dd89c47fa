import { filesAmong, filesFrom, type FilePlace, type TextFile } from "./read-texts.store.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { Candidates } from "#retrieval/patterns/candidates.ts";

type Walk = {
  /** The repositories in scope, in their order. */
  readonly repos: readonly string[];
  /** Where to begin; at the beginning when left out. */
  readonly from: FilePlace | undefined;
  /** Undefined when every chunk may hold a match. */
  readonly candidates: Candidates | undefined;
};

/** Up to this many candidates are looked up by their ids; beyond, all files are read in order and those without a candidate skipped. */
const FEW = 20_000;
/** Files of a page: where all candidates are looked up for each, there are fewer pages. */
const FILES_IN_ORDER = 500;
const FILES_AMONG = 2_500;

export type WalkedFiles = {
  /** The files that may hold a match. */
  readonly files: readonly TextFile[];
  /** The last that was looked at. */
  readonly upTo: FilePlace | undefined;
};

/** The files of a scope by repository and path, from a place on; some at a time. */
export async function* walkFiles(
  query: TenantQuery,
  scope: Scope,
  { repos, from, candidates }: Walk,
): AsyncGenerator<WalkedFiles, void, undefined> {
  const begin = from ?? { repo: repos[0] ?? "", path: "" };
  if (candidates !== undefined && candidates.count <= FEW) {
    const chunkIds = candidates.chunkIds();
    if (chunkIds.length > 0) {
      for await (const files of page(FILES_AMONG, begin, (place, limit) => filesAmong(query, scope, { chunkIds, from: place, limit }))) {
        yield { files, upTo: files.at(-1) };
      }
    }
    return;
  }
  for (const repo of repos.slice(Math.max(0, repos.indexOf(begin.repo)))) {
    const files = page(FILES_IN_ORDER, repo === begin.repo ? begin : { repo, path: "" }, (place, limit) =>
      filesFrom(query, scope, { from: place, limit }),
    );
    for await (const some of files) {
      yield { files: candidates === undefined ? some : some.filter((file) => file.chunk_ids.some(candidates.has)), upTo: some.at(-1) };
    }
  }
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

/** Files whose texts are read at once. */
export function* inPortions<File extends { readonly bytes: number }>(
  files: readonly File[],
  bytes: () => number,
): Generator<readonly File[], void, undefined> {
  let portion: File[] = [];
  let size = 0;
  for (const file of files) {
    if (portion.length > 0 && size + file.bytes > bytes()) {
      yield portion;
      portion = [];
      size = 0;
    }
    portion.push(file);
    size += file.bytes;
  }
  if (portion.length > 0) {
    yield portion;
  }
}
