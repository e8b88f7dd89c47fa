import { join } from "node:path";
import { readChangeRules } from "#indexing/build/change-rules.ts";
import { mirrorFolder } from "#git/mirror.ts";
import type { History } from "#git/history.ts";
import { readDifference, type CommitChanges } from "#git/read-changes.ts";
import { toFailureReason } from "#indexing/tasks/interrupted.ts";

/** Lines that follow one another and were all added. */
export type AddedRun = { readonly path: string; readonly line: number; readonly text: string };

export type Added = {
  readonly runs: readonly AddedRun[];
  /** Names the files that were left out, and why; null where none was. */
  readonly note: string | null;
};

type Reading = {
  readonly dataDir: string;
  readonly repoId: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly base: string;
  readonly head: string;
  readonly history: Pick<History, "directory" | "contents">;
  readonly signal: AbortSignal;
};

/** What git may take to tell what was added. */
const MAX_DIFF_MS = 30_000;

/** The lines that were added from one commit to another in files that are searched. Where git can't tell, the note says why. */
export async function readAdded({ dataDir, repoId, include, exclude, base, head, history, signal }: Reading): Promise<Added> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(MAX_DIFF_MS)]);
  // A history without contents, or whose branch was rewritten, may lack what the mirror of the newest commits still has.
  const places = [...(history.contents ? [history.directory] : []), join(mirrorFolder(dataDir, repoId), "repository.git")];
  let failure: unknown;
  for (const directory of places) {
    try {
      const rules = await readChangeRules({ directory, commits: [head] }, { include, exclude }, limited);
      const changed = await readDifference({ directory }, { base, head }, { leftOut: rules.leftOut, signal: limited });
      const runs = changed.changes.flatMap(({ path, patch }) => addedRuns(path, rules.textOf(path, patch).text));
      return { runs, note: noteOn(changed) };
    } catch (error) {
      signal.throwIfAborted();
      failure = limited.aborted ? new Error(`git took longer than ${MAX_DIFF_MS / 1_000} s`) : error;
    }
  }
  return { runs: [], note: `The lines added since ${base.slice(0, 10)} could not be read: ${toFailureReason(failure)}` };
}

function noteOn({ changes, total }: CommitChanges): string | null {
  const large = changes.filter(({ leftOut }) => leftOut === "too large").length;
  const notes = [
    ...(total > changes.length ? [`Only the first ${changes.length} of ${total} changed files were looked at.`] : []),
    ...(large > 0 ? [`The changes of ${large} ${large === 1 ? "file were" : "files were"} too large to be looked at.`] : []),
  ];
  return notes.length === 0 ? null : notes.join(" ");
}

/** Longer lines are written by machines. */
const MAX_LINE_LENGTH = 10_000;

/** Reads the added lines out of git's hunks. */
function addedRuns(path: string, patch: string): readonly AddedRun[] {
  const runs: { path: string; line: number; text: string }[] = [];
  let [line, isWithin] = [0, false];
  for (const written of patch.split("\n")) {
    if (written.startsWith("+")) {
      const run = isWithin ? runs.at(-1) : undefined;
      const text = written.length > MAX_LINE_LENGTH ? "\n" : `${written.slice(1)}\n`;
      if (run === undefined) {
        runs.push({ path, line, text });
      } else {
        run.text += text;
      }
    } else if (written.startsWith("@@")) {
      line = Number(/\+(\d+)/.exec(written)?.[1]) - 1;
    }
    isWithin = written.startsWith("+");
    line += /^[-\\]/.test(written) ? 0 : 1;
  }
  return runs;
}
