import type { BlameAnswer, FileRequest } from "#contract.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { newestChange, type FileHistory } from "./file-at-commit.ts";
import { openLines } from "./open-lines.ts";
import { traceOrigins, parsePatch, textOfPatch } from "./patch.ts";
import { commitsAt } from "./read-commits.store.ts";
import { presentCommit } from "./search-commits.ts";
import { hunksSince, walkLines, type Suspect, type Visit } from "./walk-lines.ts";

const READ_MS = 12_000;

/**
 * Who last changed each line of a file, at a commit or as it is indexed: as `git blame` has it.
 *
 * @throws {AppError} as `readFileAtCommit`.
 */
export async function blame(database: CodeIndexDatabase, scope: RepositoryScope, request: FileRequest): Promise<BlameAnswer> {
  return readScope({ database, scope, milliseconds: READ_MS }, async (transaction, [build]) => {
    const { history, position, commit, path, lines, total } = await openLines(transaction, scope, build, request);
    const blamed = await blameLines(history, { position, path, lines: lines.map((line) => ({ line, final: line })) });
    const rows = await commitsAt(transaction, scope, [...new Set(blamed.flatMap(({ position: by }) => by ?? []))]);
    const ranges = toRanges(
      blamed.toSorted((one, other) => one.final - other.final),
      new Map(rows.map((row) => [row.position, row.commit])),
    );
    const isOlder = ranges.some((range) => range.commit === null);
    return {
      repo: build?.repo ?? scope.repo,
      ref: build?.ref ?? "",
      commit,
      path,
      total_lines: total,
      ranges,
      commits: rows.map((row) => presentCommit(row, undefined)),
      notes: [
        ...(isOlder ? ["Lines without a commit are older than the commits that are kept, or came with a change that is not kept."] : []),
        ...(request.commit === undefined && commit !== build?.commit
          ? [`This is the file at ${commit}, where the history ends; it follows the index.`]
          : []),
      ],
    };
  });
}

/** A line of the file asked for, and its place in the version that is looked at. */
type Line = { readonly line: number; readonly final: number };
type Blamed = { readonly final: number; readonly line: number; readonly path: string; readonly position: number | undefined };

async function blameLines(history: FileHistory, first: Suspect<Line>): Promise<readonly Blamed[]> {
  const blamed: Blamed[] = [];
  await walkLines(history, first, {
    visit: async (visit) => {
      const { path, position, left_out: leftOut } = visit.change;
      const rest = await passLinesOn(history, visit);
      blamed.push(...rest.map((line) => ({ ...line, path, position: leftOut === null ? position : undefined })));
      return true;
    },
    older: (path, lines) => void blamed.push(...lines.map((line) => ({ ...line, path, position: undefined }))),
  });
  return blamed;
}

/** @returns the lines that are the commit's own. */
async function passLinesOn(history: FileHistory, { change, others, lines, passOn }: Visit<Line>): Promise<readonly Line[]> {
  const { firstParents } = history;
  const changes = await history.changesOf(change.path);
  // A merge that took a file from another parent as it is has nothing to do with it.
  const same = others.find((parent) => newestChange(firstParents, parent, { changes, name: change.path })?.blob === change.blob);
  if (same !== undefined) {
    passOn(same, change.path, lines);
    return [];
  }
  let rest = lines;
  if (change.status !== "added" && change.left_out === null) {
    rest = split(rest, traceOrigins(parsePatch(textOfPatch(change.patch))), (passed) =>
      passOn(firstParents.of(change.position), change.old_path ?? change.path, passed),
    );
  }
  for (const parent of rest.length === 0 ? [] : others) {
    const hunks = await hunksSince(history, parent, change);
    if (hunks !== undefined) {
      rest = split(rest, traceOrigins(hunks), (passed) => passOn(parent, change.path, passed));
    }
  }
  return rest;
}

/** Passes on the lines that have an origin. @returns the others. */
function split(
  lines: readonly Line[],
  originOf: (line: number) => number | undefined,
  passOnTo: (lines: readonly Line[]) => void,
): readonly Line[] {
  const found = lines.map((line) => ({ ...line, origin: originOf(line.line) }));
  passOnTo(found.flatMap(({ final, origin }) => (origin === undefined ? [] : [{ final, line: origin }])));
  return found.flatMap(({ final, line, origin }) => (origin === undefined ? [{ final, line }] : []));
}

function toRanges(lines: readonly Blamed[], commits: ReadonlyMap<number, string>): BlameAnswer["ranges"] {
  const ranges: BlameAnswer["ranges"] = [];
  for (const { final, line, path, position } of lines) {
    const commit = commits.get(position ?? -1) ?? null;
    const last = ranges.at(-1);
    const goesOn =
      last !== undefined &&
      last.commit === commit &&
      last.path === path &&
      last.end_line === final &&
      (commit === null || last.original_line + last.end_line - last.start_line + 1 === line + 1);
    if (goesOn) {
      last.end_line = final + 1;
    } else {
      ranges.push({ start_line: final + 1, end_line: final + 1, commit, path, original_line: line + 1 });
    }
  }
  return ranges;
}
