import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "@sightline/foundation/errors";
import { runGit } from "./git.ts";
import { SourceError } from "./source-error.ts";

type Repository = {
  readonly directory: string;
  /** Begin with an empty one, in case an attempt before left a broken one. */
  readonly fresh: boolean;
  readonly maxPacks: number;
  /** One of the remote's: its length tells by which hash that names its objects, and a repository holds those of one hash. */
  readonly commit: string;
  readonly signal: AbortSignal;
};

/** Fetches into a bare repository that is in order, and once more into a new one where what is here may be the reason why it failed. */
export async function intoRepository<Result>(repository: Repository, fetch: () => Promise<Result>): Promise<Result> {
  const { directory, fresh, maxPacks, commit, signal } = repository;
  if (fresh) {
    await removeFolder(directory);
  }
  const isNew = await provideRepository(directory, commit.length === SHA256_LENGTH ? "sha256" : "sha1", signal);
  try {
    await removeRemains(directory);
    await compact({ directory, maxPacks, signal });
    return await fetch();
  } catch (error) {
    await (isNew ? removeFolder(directory) : removeRemains(directory));
    if (signal.aborted || !(error instanceof SourceError) || error.fromRemote || isNew) {
      throw error;
    }
    // It may be broken, or full of what is needed no more.
    return intoRepository({ ...repository, fresh: true }, fetch);
  }
}

const SHA256_LENGTH = 64;

/** Makes an empty bare repository where there is none. @returns whether it did. */
async function provideRepository(directory: string, format: string, signal: AbortSignal): Promise<boolean> {
  if (await exists(directory)) {
    return false;
  }
  // Made beside its place, so that what stands there is never the half of a mirror that a broken-off init leaves.
  const draft = `${directory}.new`;
  await rm(draft, { recursive: true, force: true });
  // Private code is nobody else's on this machine, whatever the umask and the folder above.
  await mkdir(draft, { recursive: true, mode: 0o700 });
  await runGit({ arguments: ["init", "--bare", "--quiet", "--template=", `--object-format=${format}`, "--end-of-options", draft], signal });
  await rename(draft, directory);
  return true;
}

/** Removes a folder at once, whoever is reading in it: they fail and never see a half of it. */
export async function removeFolder(directory: string): Promise<void> {
  const gone = `${directory}.gone-${randomUUID()}`;
  try {
    await rename(directory, gone);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") {
      throw error;
    }
    return;
  }
  await rm(gone, { recursive: true, force: true });
}

/** Removes what a git that was killed has left, its locks and packs that it had not read to their end; and what we have. */
async function removeRemains(directory: string): Promise<void> {
  for (const name of await readdir(dirname(directory))) {
    if (name.startsWith(`${basename(directory)}.`)) {
      await rm(join(dirname(directory), name), { recursive: true, force: true });
    }
  }
  const objects = await readdir(join(directory, "objects"), { recursive: true });
  const refs = await readdir(join(directory, "refs"), { recursive: true });
  const remains = [
    ...(await readdir(directory)).filter((name) => name.endsWith(".lock") || name === "gc.pid"),
    ...refs.filter((name) => name.endsWith(".lock")).map((name) => join("refs", name)),
    ...objects.filter((name) => /(^|\/)(\.?tmp[_-][^/]*|[^/]*\.lock|[^/]*\.keep)$/.test(name)).map((name) => join("objects", name)),
  ];
  for (const name of remains) {
    await rm(join(directory, name), { recursive: true, force: true });
  }
}

const SLACK_BYTES = 256 * 1_024 * 1_024;

type Compacting = { readonly directory: string; readonly maxPacks: number; readonly signal: AbortSignal };

/** Puts the packs of many fetches together and drops what nothing refers to any more, when it is worth it. */
export async function compact({ directory, maxPacks, signal }: Compacting): Promise<void> {
  const sizes = await packSizes(directory);
  const total = sum(sizes);
  if (sizes.length <= maxPacks && total <= 2 * Math.max(0, ...sizes) + SLACK_BYTES) {
    return;
  }
  await runGit({
    arguments: ["gc", "--quiet", "--prune=now"],
    directory,
    settings: [
      ["pack.threads", "1"],
      ["pack.windowMemory", "128m"],
    ],
    signal,
  });
}

const CHECK_MS = 500;

type Watched = { readonly directory: string; readonly maxBytes: number; readonly signal: AbortSignal };

/**
 * Runs a fetch and ends it when the mirror grows beyond its limit.
 *
 * @throws {SourceError} `too_large`
 */
export async function withinSize<Result>(
  { directory, maxBytes, signal }: Watched,
  fetch: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const tooLarge = new AbortController();
  const checkSize = async () => {
    if (sum(await packSizes(directory)) > maxBytes) {
      const megabytes = Math.floor(maxBytes / 1_048_576);
      tooLarge.abort(
        new SourceError(`The repository is larger than ${megabytes} MB, the limit of CODEINDEX_MIRROR_MAX_MB.`, {
          transient: false,
          problem: "too_large",
        }),
      );
    }
  };
  const timer = setInterval(() => void checkSize().catch(() => undefined), CHECK_MS);
  try {
    const result = await fetch(AbortSignal.any([signal, tooLarge.signal]));
    await checkSize();
    tooLarge.signal.throwIfAborted();
    return result;
  } finally {
    clearInterval(timer);
  }
}

/** The sizes of all packs in bytes, those being received included. */
async function packSizes(directory: string): Promise<readonly number[]> {
  const folder = join(directory, "objects", "pack");
  const names = await readdir(folder).catch(() => []);
  const packs = names.filter((name) => name.endsWith(".pack") || name.startsWith("tmp_pack"));
  return Promise.all(
    packs.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        // Renamed or removed since.
        () => 0,
      ),
    ),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
