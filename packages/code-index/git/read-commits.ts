import { startGit } from "./git.ts";
import type { History } from "./history.ts";
import { logCommits } from "./log-commits.ts";
import { SourceError } from "./source-error.ts";
import { treeEntryPath } from "./tree-entry.ts";

/** A commit as git has it; texts may be in any encoding. */
export type Commit = {
  readonly commit: string;
  readonly parents: readonly string[];
  readonly author: Buffer;
  readonly authorEmail: Buffer;
  /** Seconds since 1970. */
  readonly authoredAt: number;
  readonly committedAt: number;
  readonly message: Buffer;
  /** The files it changed, up to `MAX_PATHS`, of one that was moved both names; of a merge those that differ from all its parents. */
  readonly paths: readonly string[];
  readonly pathsTotal: number;
  /** Files that were moved as they are. */
  readonly moves: readonly { readonly from: string; readonly to: string }[];
};

const MAX_PATHS = 2_000;
/** Most bytes kept of a field, such as the message. */
const MAX_FIELD_BYTES = 65_536;

/** Begins the record of a commit; no file status begins with it. */
const BEGIN = "\u0001";
const FORMAT = "%x01%H%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%B%x00";

/** Which files are told of: of a merge those that differ from all its parents; both names of all that differ from the first parent; none. */
const PATHS = {
  settled: ["-c", "--name-status", "--find-renames=100%"],
  "first-parent": ["-m", "--first-parent", "--name-status", "--no-renames"],
  none: ["--no-patch"],
} as const;

/** Reads commits of a history, in the order asked for. No content of a file is needed for it. */
export function readCommits(
  history: Pick<History, "directory">,
  commits: readonly string[],
  { paths = "settled", signal }: { readonly paths?: keyof typeof PATHS; readonly signal: AbortSignal },
): AsyncGenerator<Commit, void, undefined> {
  return logCommits(history, commits, {
    format: FORMAT,
    options: ["--no-mailmap", "--encoding=UTF-8", ...PATHS[paths]],
    parse: (printed) => parseCommits(fieldsOf(printed)),
    signal,
  });
}

type Pickaxe = {
  readonly commit: string;
  readonly text: string;
  readonly path?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

/** The commits that add or remove a text, the newest first, each with the files in which it did. */
export async function* readPickaxe(
  { directory }: Pick<History, "directory">,
  { commit, text, path, since, until }: Pickaxe,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<Commit, void, undefined> {
  const limits = Object.entries({ since, until }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
  const told = ["--no-mailmap", "--encoding=UTF-8", "--name-status", "--no-renames", "--no-textconv", "--no-show-signature", "--no-color"];
  const given = ["log", "-z", `-S${text}`, ...limits, ...told, `--format=tformat:${FORMAT}`];
  const below = path === undefined ? [] : [`:(top,literal)${path}`];
  const { child, ended, stop } = startGit({ arguments: [...given, "--end-of-options", commit, "--", ...below], directory, signal });
  child.stdin.end();
  try {
    yield* parseCommits(fieldsOf(child.stdout));
    await ended;
  } finally {
    stop();
  }
}

/** What stands between NULs, in batches as it comes; of one that is too long the beginning. */
async function* fieldsOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const data of stream) {
    let from = 0;
    for (let to = data.indexOf(0); to !== -1; to = data.indexOf(0, from)) {
      held.push(data.subarray(from, to));
      yield Buffer.concat(held).subarray(0, MAX_FIELD_BYTES);
      held = [];
      length = 0;
      from = to + 1;
    }
    if (length < MAX_FIELD_BYTES) {
      held.push(Buffer.from(data.subarray(from)));
      length += data.length - from;
    }
  }
}

type Changes = { readonly paths: string[]; total: number; readonly moves: { readonly from: string; readonly to: string }[] };

async function* parseCommits(fields: AsyncGenerator<Buffer, void, undefined>): AsyncGenerator<Commit, void, undefined> {
  const next = async () => {
    const { value, done } = await fields.next();
    return done === true ? undefined : value;
  };
  let begin = await next();
  while (begin !== undefined) {
    const header = await readCommitHeader(begin, next);
    const changes: Changes = { paths: [], total: 0, moves: [] };
    for (begin = await next(); begin !== undefined && begin[0] !== 1; begin = await next()) {
      const status = begin.toString("latin1").trim();
      if (status !== "") {
        await readChange(status, next, changes);
      }
    }
    yield { ...header, paths: changes.paths, pathsTotal: changes.total, moves: changes.moves };
  }
}

type Next = () => Promise<Buffer | undefined>;

async function readCommitHeader(begin: Buffer, next: Next): Promise<Omit<Commit, "paths" | "pathsTotal" | "moves">> {
  const fields = [begin];
  while (fields.length < 7) {
    const field = await next();
    if (field === undefined) {
      break;
    }
    fields.push(field);
  }
  const [id, parents, author, authorEmail, authoredAt, committedAt, message] = fields;
  if (message === undefined || id?.toString("latin1", 0, 1) !== BEGIN || !author || !authorEmail) {
    throw new SourceError("git log printed an unknown line.", { transient: false });
  }
  return {
    commit: id.toString("latin1", 1),
    parents: (parents?.toString("latin1") ?? "").split(" ").filter(Boolean),
    author,
    authorEmail,
    authoredAt: Number(authoredAt),
    committedAt: Number(committedAt),
    message,
  };
}

/** `R100` has two names; what differs from several parents has a letter for each, and one name. */
async function readChange(status: string, next: Next, changes: Changes): Promise<void> {
  const names = [await next(), /^[RC]\d+$/.test(status) ? await next() : undefined].filter((name) => name !== undefined).map(treeEntryPath);
  changes.total += names.length;
  changes.paths.push(...names.slice(0, MAX_PATHS - changes.paths.length));
  const [from, to] = names;
  if (status.startsWith("R") && from !== undefined && to !== undefined && changes.moves.length < MAX_PATHS) {
    changes.moves.push({ from, to });
  }
}
