import type { LineHistoryAnswer, LineHistoryRequest } from "#contract.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";
import { createPaging } from "#retrieval/scope/page-cursor.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import type { FileHistory } from "./file-at-commit.ts";
import { openLines } from "./open-lines.ts";
import { linesBefore, parsePatch, patchOfLines, textOfPatch, touchedStretches } from "./patch.ts";
import { commitsAt } from "./read-commits.store.ts";
import { presentCommit } from "./search-commits.ts";
import { hunksSince, walkLines, type Suspect, type Visit } from "./walk-lines.ts";

const READ_MS = 12_000;

/**
 * The commits that changed some lines of a file, the newest first, with what they changed there: as `git log -L` has it.
 *
 * @throws {AppError} `invalid_cursor` (400), and as `readFileAtCommit`.
 */
export async function readLineHistory(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { limit, cursor, ...request }: LineHistoryRequest,
): Promise<LineHistoryAnswer> {
  const began = performance.now();
  return readScope({ database, scope, milliseconds: READ_MS }, async (transaction, [build]) => {
    const { history, position, commit, path, lines, total } = await openLines(transaction, scope, build, request);
    const [start, end] = [(lines[0] ?? 0) + 1, (lines.at(-1) ?? 0) + 1];
    const paging = createPaging(["lines", scope.tenant.tenantId, scope.repo.toLowerCase(), commit, path, start, end]);
    const before = paging.shownBefore(cursor);
    const { found, ended } = await findChanges(history, { position, path, lines }, before + limit + 1);
    const page = found.slice(before, before + limit);
    const rows = await commitsAt(transaction, scope, [...new Set(page.map((change) => change.position))]);
    const byPosition = new Map(rows.map((row) => [row.position, presentCommit(row, undefined)]));
    return {
      repo: build?.repo ?? scope.repo,
      ref: build?.ref ?? "",
      commit,
      path,
      start_line: start,
      end_line: end,
      total_lines: total,
      changes: page.flatMap(({ position: at, ...change }) => {
        const by = byPosition.get(at);
        return by === undefined ? [] : [{ commit: by, ...change }];
      }),
      notes: [...ended],
      next_cursor: found.length > before + limit ? paging.cursorAfter(before + limit) : null,
      ms: Math.round((performance.now() - began) * 10) / 10,
    };
  });
}

type Found = Omit<LineHistoryAnswer["changes"][number], "commit"> & { readonly position: number };

/** Up to `limit` changes, and why there are no older ones where that is not since the lines began. */
async function findChanges(
  history: FileHistory,
  first: Suspect<number>,
  limit: number,
): Promise<{ readonly found: readonly Found[]; readonly ended: ReadonlySet<string> }> {
  const found: Found[] = [];
  const ended = new Set<string>();
  await walkLines(history, first, {
    visit: async (visit) => {
      const change = await visitCommit(history, visit);
      if (change !== undefined) {
        found.push(change);
        if (change.left_out !== null) {
          ended.add(`What the oldest of these changed of ${change.path} is not kept (${change.left_out}), so older changes are not here.`);
        }
      }
      return found.length < limit;
    },
    older: () => void ended.add("The lines are older than the commits that are kept."),
  });
  return { found, ended };
}

/** @returns what the commit changed of the lines; nothing for a merge that has them from one of its parents as they are. */
async function visitCommit(history: FileHistory, { change, others, lines: given, passOn }: Visit<number>): Promise<Found | undefined> {
  const lines = new Set(given);
  const { position, path, old_path: old, status, left_out: leftOut } = change;
  const hunks = parsePatch(textOfPatch(change.patch));
  const isKept = status !== "added" && leftOut === null;
  const parents = isKept ? [{ parent: history.firstParents.of(position), name: old ?? path, hunks }] : [];
  if (!isKept || touchedStretches(hunks, lines).length > 0) {
    for (const parent of others) {
      const since = await hunksSince(history, parent, change);
      if (since !== undefined) {
        parents.push({ parent, name: path, hunks: since });
      }
    }
  }
  const same = parents.find((each) => touchedStretches(each.hunks, lines).length === 0);
  for (const each of same === undefined ? parents : [same]) {
    passOn(each.parent, each.name, linesBefore(each.hunks, lines));
  }
  if (same !== undefined) {
    return undefined;
  }
  return {
    position,
    path,
    start_line: Math.min(...lines) + 1,
    end_line: Math.max(...lines) + 1,
    patch: patchOfLines(hunks, lines),
    left_out: leftOut,
  };
}
