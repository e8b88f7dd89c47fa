import { refusal, type AppError } from "@sightline/foundation/errors";
import type { BlameAnswer, LineHistoryAnswer, SourceFile } from "#contract.ts";
import { blameLines } from "#git/revisions/blame.ts";
import { logLines } from "#git/revisions/line-log.ts";
import { readBlobAt } from "#git/revisions/read-blob.ts";
import { MAX_BYTES, skipRead } from "#indexing/build/skip.ts";
import { detectLanguage } from "#splitting/languages.ts";
import { presentCommits } from "./read-commits.ts";
import type { Reading } from "./reading.ts";

/** A file at a commit, and its lines, as git has them. */

type OfFile = { readonly revision: string; readonly path: string; readonly start?: number | undefined; readonly end?: number | undefined };
type Opened = { readonly commit: string; readonly lines: readonly string[]; readonly start: number; readonly end: number } & Pick<
  SourceFile,
  "encoding"
>;

/** @throws {AppError} `file_not_found` (404), `file_not_kept` (409), `invalid_range` (400). */
async function openFile(reading: Reading, { revision, path, start = 1, end }: OfFile): Promise<Opened> {
  const { place, rules, signal } = reading;
  const commit = await reading.resolve(revision);
  // A path has the same rules at every commit, whatever its content is there.
  const unread = rules.leftOut(path);
  if (unread !== undefined) {
    throw notKept(path, unread);
  }
  const file = await readBlobAt({ directory: place.directory, commit, path, signal }, { maxBytes: MAX_BYTES });
  if (file === undefined || file === "folder") {
    const hint = file === "folder" ? "it is a folder there" : "search the commits by this path, or the files by its name";
    throw refusal(404, "file_not_found", `There was no file ${path.slice(0, 500)} at this commit; ${hint}.`);
  }
  if (file === "too large") {
    throw notKept(path, "larger than 1 MiB");
  }
  const unlisted = skipRead(file);
  if (unlisted !== undefined) {
    throw notKept(path, unlisted);
  }
  const { text, encoding, isGuess } = rules.textOf(path, file);
  const lines = text === "" ? [] : text.split(/(?<=\n)/u);
  if (start > Math.max(lines.length, 1)) {
    throw refusal(400, "invalid_range", `${path} has ${lines.length} lines; line ${start} is past its end.`);
  }
  const told = encoding === null ? {} : { encoding: { name: encoding, guessed: isGuess } };
  return { commit, lines, start, end: Math.min(end ?? lines.length, lines.length), ...told };
}

function notKept(path: string, reason: string): AppError {
  return refusal(409, "file_not_kept", `${path.slice(0, 500)} can't be read at this commit: ${reason}.`);
}

const MAX_CHARACTERS = 1_000_000;

export async function readText(reading: Reading, asked: OfFile): Promise<SourceFile> {
  const { commit, lines, start, end, ...told } = await openFile(reading, asked);
  const all = lines.slice(start - 1, end).join("");
  const content = all.slice(0, MAX_CHARACTERS);
  const last = content.length < all.length ? start + content.split("\n").length - 1 : end;
  const { repo, branch } = reading;
  return {
    repo,
    ref: branch.ref,
    commit,
    path: asked.path,
    language: detectLanguage(asked.path),
    start_line: start,
    end_line: last,
    total_lines: lines.length,
    ...told,
    content,
    truncated: content.length < all.length,
  };
}

export async function blameFile(reading: Reading, asked: OfFile): Promise<BlameAnswer> {
  const { repo, branch, place, signal } = reading;
  const { commit, lines, start, end } = await openFile(reading, asked);
  const at = { directory: place.directory, commit, path: asked.path, signal };
  const blamed = lines.length === 0 ? [] : await blameLines(at, { start, end });
  const isOlder = blamed.some((range) => place.border.has(range.commit));
  if (isOlder) {
    reading.goBeyond("Lines without a commit are older than the commits that are kept");
  }
  return {
    repo,
    ref: branch.ref,
    commit,
    path: asked.path,
    total_lines: lines.length,
    ranges: blamed.map((range) => ({
      start_line: range.start,
      end_line: range.start + range.lines - 1,
      commit: place.border.has(range.commit) ? null : range.commit,
      path: range.path,
      original_line: range.original,
    })),
    commits: await presentCommits(
      reading,
      blamed.map((range) => range.commit).filter((hash) => !place.border.has(hash)),
    ).then((commits) => commits.map(({ paths: _paths, paths_total: _total, body: _body, ...rest }) => rest)),
    notes: [],
  };
}

type LinesFound = Omit<LineHistoryAnswer, "next_cursor" | "ms"> & { readonly hasMore: boolean };

export async function readLinesHistory(
  reading: Reading,
  { before, limit, ...asked }: OfFile & { readonly before: number; readonly limit: number },
): Promise<LinesFound> {
  const { repo, branch, place, signal } = reading;
  const { commit, lines, start, end } = await openFile(reading, asked);
  const at = { directory: place.directory, commit, path: asked.path, signal };
  const logged = await logLines(at, { start, end, skip: before, limit: limit + 1 });
  const known = logged.filter((change) => !place.border.has(change.commit));
  if (known.length < logged.length) {
    reading.goBeyond("The lines are older than the commits that are kept");
  }
  const commits = new Map(
    (
      await presentCommits(
        reading,
        known.map((change) => change.commit),
      )
    ).map((each) => [each.commit, each]),
  );
  return {
    repo,
    ref: branch.ref,
    commit,
    path: asked.path,
    start_line: start,
    end_line: end,
    total_lines: lines.length,
    changes: known.slice(0, limit).flatMap((change) => {
      const by = commits.get(change.commit);
      const reason = reading.rules.leftOut(change.path);
      const told = {
        path: change.path,
        start_line: change.start,
        end_line: change.end,
        patch: reason === undefined ? reading.rules.textOf(change.path, change.patch).text : "",
        left_out: reason ?? null,
      };
      return by === undefined ? [] : [{ commit: by, ...told }];
    }),
    notes: [],
    hasMore: known.length > limit,
  };
}
