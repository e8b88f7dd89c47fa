import { refusal, type AppError } from "@sightline/foundation/errors";
import type { SourceFile } from "#contract.ts";
import { fromRoot, suggestFiles, readWholeFile, refuseRange, whyMissing } from "#retrieval/files/read-file.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import { refuseNul } from "#retrieval/query/refusals.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";
import type { FirstParents } from "#store/index/first-parents.ts";
import { detectLanguage } from "#splitting/languages.ts";
import type { RepositoryInScope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { applyPatch, splitLines, parsePatch, reversePatch, textOfPatch, withoutMark } from "./patch.ts";
import { changesOfNames, indexedBlob, readOtherParents, readFirstParents, type PatchedChange } from "./read-changes.store.ts";
import { requireCommit } from "./read-commit.ts";
import { stepsBetween, type Step } from "./steps-between.ts";

const READ_MS = 10_000;

type Reading = { readonly commit: string; readonly path: string; readonly start?: number | undefined; readonly end?: number | undefined };

/**
 * The lines asked for of a file as it was at a commit, rebuilt from what the commits since then changed.
 *
 * @throws {AppError} `file_not_found` (404), `file_not_kept` (409), `invalid_range` (400), and as `requireCommit` and `readScope`.
 */
export async function readFileAtCommit(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { commit: hash, path: given, start = 1, end }: Reading,
): Promise<SourceFile> {
  refuseNul([given], "A NUL character is in no path.");
  const path = fromRoot(given);
  return readScope({ database, scope, milliseconds: READ_MS }, async (transaction, [build]) => {
    const { repo, commit, position } = await requireCommit(transaction, scope, hash);
    const history = await openHistory(transaction, scope, build);
    const lines = await history.linesAt(position, path);
    refuseRange({ path, lines: lines.length, start, end });
    const last = Math.min(end ?? lines.length, lines.length);
    const content = lines.slice(start - 1, last).join("");
    const language = detectLanguage(path);
    const ref = build?.ref ?? "";
    return { repo, ref, commit, path, language, start_line: start, end_line: last, total_lines: lines.length, content, truncated: false };
  });
}

/** What of a branch's history rebuilds its files. */
export type FileHistory = {
  readonly firstParents: FirstParents;
  /** What is known of the files that have, or had, this name, and of the names they had before and after. */
  readonly changesOf: (name: string) => Promise<FileChanges>;
  /** The lines of a file at a commit. @throws {AppError} `file_not_found` (404), `file_not_kept` (409). */
  readonly linesAt: (position: number, path: string) => Promise<readonly string[]>;
};

/** Changes by position and the name in the older or the newer version. */
export type FileChanges = {
  readonly at: (position: number, name: string, version: "old" | "new") => PatchedChange | undefined;
  readonly isKnown: (position: number) => boolean;
  /** The commits that have one. */
  readonly positions: ReadonlySet<number>;
  /** The parents of one of them, if it is a merge, but for the first. */
  readonly otherParents: (position: number) => readonly number[];
};

/** Changes of one file, and the names it is followed through. */
const MAX_CHANGES = 5_000;
const MAX_NAMES = 30;

export async function openHistory(query: TenantQuery, scope: RepositoryScope, build: RepositoryInScope | undefined): Promise<FileHistory> {
  const { firstParents, newest, tip } = await readFirstParents(query, scope);
  const changesOf = onceByName(loadChanges);
  const contentOf = onceByName((name) => readWholeFile(query, scope, name));
  const blobOf = onceByName((name) => indexedBlob(query, scope, { generation: build?.generation ?? 0, path: name }));

  async function loadChanges(name: string): Promise<FileChanges> {
    const asked = new Set([name]);
    let rows: readonly PatchedChange[] = [];
    for (let before = 0; before < asked.size && before < MAX_NAMES;) {
      before = asked.size;
      rows = await changesOfNames(query, scope, { names: [...asked].slice(0, MAX_NAMES), limit: MAX_CHANGES });
      for (const { path, old_path: old } of rows.filter((row) => row.old_path !== null)) {
        asked.add(path).add(old ?? path);
      }
    }
    const positions = new Set(rows.map(({ position }) => position));
    const others = await readOtherParents(query, scope, [...positions].filter(firstParents.isMerge));
    const oldest = rows.length < MAX_CHANGES ? -Infinity : (rows.at(-1)?.position ?? 0);
    return {
      at: indexChanges(rows),
      isKnown: (position) => position > oldest && firstParents.isWhole(position),
      positions,
      otherParents: (position) => others.get(position) ?? [],
    };
  }

  /** What the index has of a file, where it is the one that the history ends with. */
  async function readTip(name: string, changes: FileChanges): Promise<string | undefined> {
    const blob = await blobOf(name);
    const isSame = blob !== null && (newest === build?.commit || blob === newestChange(firstParents, tip, { changes, name })?.blob);
    return isSame ? contentOf(name) : undefined;
  }

  async function linesAt(from: number, path: string): Promise<readonly string[]> {
    const changes = await changesOf(path);
    const wanted = (position: number) => changes.positions.has(position) || !changes.isKnown(position);
    const toTip = tip === undefined ? undefined : stepsBetween(firstParents, { from, to: tip, wanted });
    if (toTip !== undefined) {
      const patchPath = collectPatches(toTip, changes, path);
      const content = patchPath.isWhole ? "" : await readTip(patchPath.name, changes);
      if (content !== undefined) {
        return replay(patchPath, content, path);
      }
    }
    const patchPath = collectPatches(stepsBetween(firstParents, { from, wanted }) ?? [], changes, path);
    if (patchPath.isWhole) {
      return replay(patchPath, "", path);
    }
    if (changes.positions.size === 0 && (await blobOf(path)) === null) {
      const hint = suggestFiles(await whyMissing(query, scope, path));
      throw refusal(404, "file_not_found", `${scope.repo} has and had no file ${path.slice(0, 500)}; ${hint}`);
    }
    throw notKept(path, "the index does not have it, and the history that is kept does not reach back to where it began");
  }

  return { firstParents, changesOf, linesAt };
}

function onceByName<Found>(read: (name: string) => Promise<Found>): (name: string) => Promise<Found> {
  const known = new Map<string, Promise<Found>>();
  return (name) => {
    const found = known.get(name) ?? read(name);
    known.set(name, found);
    return found;
  };
}

function indexChanges(rows: readonly PatchedChange[]): FileChanges["at"] {
  const [byOldName, byNewName] = [new Map<string, PatchedChange>(), new Map<string, PatchedChange>()];
  for (const row of rows) {
    if (row.status !== "deleted") {
      byNewName.set(`${row.position} ${row.path}`, row);
    }
    if (row.status !== "added") {
      byOldName.set(`${row.position} ${row.old_path ?? row.path}`, row);
    }
  }
  return (position, name, version) => (version === "old" ? byOldName : byNewName).get(`${position} ${name}`);
}

/** The newest change of a file up to a commit, along its first parents. */
export function newestChange(
  firstParents: FirstParents,
  from: number | undefined,
  { changes, name }: { readonly changes: FileChanges; readonly name: string },
): PatchedChange | undefined {
  for (let position = from; position !== undefined; position = firstParents.of(position)) {
    if (changes.positions.has(position)) {
      const change = changes.at(position, name, "new");
      if (change !== undefined || changes.at(position, name, "old") !== undefined) {
        return change;
      }
    }
  }
  return undefined;
}

type PatchPath = {
  /** To be applied from the last to the first; each leads from the content further along the path. */
  readonly patches: readonly { readonly change: PatchedChange; readonly reversed: boolean }[];
  /** The file's name at the end of the way. */
  readonly name: string;
  /** Whether the last patch has the whole content: it is where the file was added or deleted. */
  readonly isWhole: boolean;
};

/** Follows a file along the way from a commit, as far as is needed to have its content. */
function collectPatches(steps: readonly Step[], changes: FileChanges, path: string): PatchPath {
  const patches: { change: PatchedChange; reversed: boolean }[] = [];
  let name = path;
  for (const { position, undo } of steps) {
    if (!changes.isKnown(position)) {
      throw notKept(path, "not all that was changed since then is kept");
    }
    const change = changes.at(position, name, undo ? "new" : "old");
    // A file that comes, or that is gone already, where it should be the one that is followed.
    if (change === undefined && changes.at(position, name, undo ? "old" : "new") !== undefined) {
      throw notThere(path);
    }
    if (change !== undefined) {
      patches.push({ change, reversed: !undo });
      name = undo ? (change.old_path ?? name) : change.path;
      if (change.status === (undo ? "added" : "deleted")) {
        return { patches, name, isWhole: true };
      }
    }
  }
  return { patches, name, isWhole: false };
}

function replay({ patches }: PatchPath, content: string, path: string): readonly string[] {
  let lines = splitLines(content);
  for (const { change, reversed } of patches.toReversed()) {
    if (change.left_out !== null) {
      throw notKept(path, `a change of ${change.path} is ${change.left_out}`);
    }
    const hunks = parsePatch(textOfPatch(change.patch));
    const next = applyPatch(lines, reversed ? reversePatch(hunks) : hunks);
    if (next === undefined) {
      throw notKept(path, "what is kept of it does not fit together");
    }
    lines = next;
  }
  return lines.map((line, index) => (index === 0 ? withoutMark(line) : line));
}

function notThere(path: string): AppError {
  return refusal(
    404,
    "file_not_found",
    `There was no file ${path.slice(0, 500)} at this commit; search the commits by this path, or the files by its name.`,
  );
}

function notKept(path: string, reason: string): AppError {
  return refusal(409, "file_not_kept", `${path.slice(0, 500)} can't be read at this commit: ${reason}.`);
}
