import { refusal, type AppError } from "@sightline/foundation/errors";
import { MAX_CHANGED_FILES, type SourceFile } from "#contract.ts";
import { fromRoot, readWholeFile } from "#retrieval/files/read-file.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import { refuseNul } from "#retrieval/query/refusals.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";
import { languageOf } from "#splitting/languages.ts";
import type { RepositoryInScope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { createGraph, stepsBack, stepsBetween, type CommitGraph, type Step } from "./commit-graph.ts";
import { applyPatch, linesOf, parsePatch, reversePatch, textOfPatch, withoutMark } from "./patch.ts";
import { changesOfNames, indexedBlob, listNodes, type ChangeRow, type CommitNode } from "./read-changes.store.ts";
import { requireCommit } from "./read-commit.ts";
import { findHistory } from "./read-commits.store.ts";

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
    const last = checkRange({ path, lines: lines.length, start, end });
    const content = lines.slice(start - 1, last).join("");
    const language = languageOf(path);
    const ref = build?.ref ?? "";
    return { repo, ref, commit, path, language, start_line: start, end_line: last, total_lines: lines.length, content, truncated: false };
  });
}

type Range = { readonly path: string; readonly lines: number; readonly start: number; readonly end: number | undefined };

/** The last line of a range. @throws {AppError} `invalid_range` (400) */
export function checkRange({ path, lines, start, end = lines }: Range): number {
  if (start > Math.max(lines, 1) || end < Math.min(start, lines)) {
    throw refusal(400, "invalid_range", `${path} has ${lines} lines; there are none from ${start} to ${end}.`);
  }
  return Math.min(end, lines);
}

/** What of a branch's history rebuilds its files. */
export type FileHistory = {
  readonly graph: CommitGraph;
  /** What is known of the files that have, or had, this name, and of the names they had before and after. */
  readonly changesOf: (name: string) => Promise<FileChanges>;
  /** The lines of a file at a commit. @throws {AppError} `file_not_found` (404), `file_not_kept` (409). */
  readonly linesAt: (position: number, path: string) => Promise<readonly string[]>;
};

/** Changes by position and the name in the older or the newer version. */
export type FileChanges = {
  readonly at: (position: number, name: string, version: "old" | "new") => ChangeRow | undefined;
  readonly positions: ReadonlySet<number>;
};

/** Changes of one file, and the names it is followed through. */
const MAX_CHANGES = 5_000;
const MAX_NAMES = 30;

export async function openHistory(query: TenantQuery, scope: RepositoryScope, build: RepositoryInScope | undefined): Promise<FileHistory> {
  const graph = createGraph(await listNodes(query, scope));
  const newest = (await findHistory(query, scope))?.newest ?? "";
  const tip = graph.of(newest);

  const known = new Map<string, FileChanges>();

  async function changesOf(name: string): Promise<FileChanges> {
    const changes = known.get(name) ?? (await loadChanges(name));
    known.set(name, changes);
    return changes;
  }

  async function loadChanges(name: string): Promise<FileChanges> {
    const asked = new Set([name]);
    let rows: readonly ChangeRow[] = [];
    for (let before = 0; before < asked.size && before < MAX_NAMES;) {
      before = asked.size;
      rows = await changesOfNames(query, scope, { names: [...asked].slice(0, MAX_NAMES), limit: MAX_CHANGES });
      for (const { path, old_path: old } of rows.filter((row) => row.old_path !== null)) {
        asked.add(path).add(old ?? path);
      }
    }
    return indexChanges(rows);
  }

  const blobOf = (name: string) => indexedBlob(query, scope, { generation: build?.generation ?? 0, path: name });

  /** What the index has of a file, where it is the one that the history ends with. */
  async function readTip(name: string, expected: string | null | undefined): Promise<string | undefined> {
    const blob = await blobOf(name);
    const isSame = blob !== null && (newest === build?.commit || blob === expected);
    return isSame ? readWholeFile(query, scope, name) : undefined;
  }

  async function linesAt(position: number, path: string): Promise<readonly string[]> {
    const changes = await changesOf(path);
    const node = graph.at(position);
    const toTip = node === undefined || tip === undefined ? undefined : stepsBetween(graph, node, tip);
    if (toTip !== undefined) {
      const way = follow(toTip, changes, path);
      const content = way.isWhole ? "" : await readTip(way.name, newestChange(graph, tip, { changes, name: way.name })?.change.blob);
      if (content !== undefined) {
        return replay(way, content, path);
      }
    }
    const way = follow(stepsBack(graph, node), changes, path);
    if (way.isWhole) {
      return replay(way, "", path);
    }
    throw changes.positions.size === 0 && (await blobOf(path)) === null
      ? notThere(path)
      : notKept(path, "the index does not have it, and the history that is kept does not reach back to where it began");
  }

  return { graph, changesOf, linesAt };
}

function indexChanges(rows: readonly ChangeRow[]): FileChanges {
  const [old, young] = [new Map<string, ChangeRow>(), new Map<string, ChangeRow>()];
  for (const row of rows) {
    if (row.status !== "deleted") {
      young.set(`${row.position} ${row.path}`, row);
    }
    if (row.status !== "added") {
      old.set(`${row.position} ${row.old_path ?? row.path}`, row);
    }
  }
  return {
    at: (position, name, version) => (version === "old" ? old : young).get(`${position} ${name}`),
    positions: new Set(rows.map(({ position }) => position)),
  };
}

/** The newest change of a file up to a commit, along its first parents. */
export function newestChange(
  graph: CommitGraph,
  from: CommitNode | undefined,
  { changes, name }: { readonly changes: FileChanges; readonly name: string },
): { readonly node: CommitNode; readonly change: ChangeRow } | undefined {
  for (let node = from; node !== undefined; node = graph.parent(node)) {
    const change = changes.at(node.position, name, "new");
    if (change !== undefined || changes.at(node.position, name, "old") !== undefined) {
      return change === undefined ? undefined : { node, change };
    }
  }
  return undefined;
}

type Way = {
  /** To be applied from the last to the first; each leads from the content further along the way. */
  readonly patches: readonly { readonly change: ChangeRow; readonly reversed: boolean }[];
  /** The file's name at the end of the way. */
  readonly name: string;
  /** Whether the last patch has the whole content: it is where the file was added or deleted. */
  readonly isWhole: boolean;
};

/** Follows a file along the way from a commit, as far as is needed to have its content. */
function follow(steps: readonly Step[], changes: FileChanges, path: string): Way {
  const patches: { change: ChangeRow; reversed: boolean }[] = [];
  let name = path;
  for (const { node, back } of steps) {
    if (node.changes_total === null || node.changes_total > MAX_CHANGED_FILES) {
      throw notKept(path, `not all that ${node.commit.slice(0, 12)} changed is kept`);
    }
    const change = changes.at(node.position, name, back ? "new" : "old");
    // A file that comes, or that is gone already, where it should be the one that is followed.
    if (change === undefined && changes.at(node.position, name, back ? "old" : "new") !== undefined) {
      throw notThere(path);
    }
    if (change !== undefined) {
      patches.push({ change, reversed: !back });
      name = back ? (change.old_path ?? name) : change.path;
      if (change.status === (back ? "added" : "deleted")) {
        return { patches, name, isWhole: true };
      }
    }
  }
  return { patches, name, isWhole: false };
}

function replay({ patches }: Way, content: string, path: string): readonly string[] {
  let lines = linesOf(content);
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
  return refusal(404, "file_not_found", `There was no file ${path.slice(0, 500)} at this commit.`);
}

function notKept(path: string, reason: string): AppError {
  return refusal(409, "file_not_kept", `${path.slice(0, 500)} can't be read at this commit: ${reason}.`);
}
