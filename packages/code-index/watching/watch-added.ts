import type { Clock } from "@sightline/foundation/clock";
import { AppError } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { WatchLine } from "#contract.ts";
import type { History } from "#git/history.ts";
import { isTimeout } from "#retrieval/scope/read-scope.ts";
import type { CodeIndexDatabase, Tenant } from "#store/tenancy/tenant.ts";
import { readAdded, type Added } from "./added-lines.ts";
import { addAlert, listWatched, pathsInScope } from "./alerts.store.ts";
import { readWatch, type Watch } from "./read-watch.ts";

type Tools = { readonly database: CodeIndexDatabase; readonly dataDir: string; readonly log: Logger; readonly clock: Clock };

type Moved = {
  readonly tenant: Tenant;
  readonly repoId: string;
  readonly ref: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** The indexed commit before; null where there was none. */
  readonly base: string | null;
  readonly commit: string;
  readonly history: Pick<History, "directory" | "contents">;
  readonly signal: AbortSignal;
};

/** Milliseconds that all searches of a push may take, and one of them; others wait for neither. */
const MAX_RUN_MS = 20_000;
const MAX_SEARCH_MS = 2_000;

/**
 * Tells those whose watched searches match lines that were added to a branch since its indexed commit before. A first commit tells
 * nothing. Safe to repeat, by any number of processes: of a commit a search tells once.
 */
export async function watchAdded({ database, dataDir, log, clock }: Tools, moved: Moved): Promise<void> {
  const { tenant, repoId, ref, base, commit, signal } = moved;
  const searches = base === null || base === commit ? [] : await listWatched(database, tenant.tenantId);
  if (base === null || searches.length === 0) {
    return;
  }
  const added = await readAdded({ ...moved, dataDir, base, head: commit });
  const end = performance.now() + MAX_RUN_MS;
  for (const search of searches) {
    signal.throwIfAborted();
    try {
      const access = { tenant, repositories: [repoId] };
      const found = await findAdded(database, { added, ref, watch: readWatch(access, search.query), end });
      if (found !== undefined) {
        await addAlert(database, { tenant, searchId: search.id, repoId, ref, base, commit, ...found, now: clock.now() });
      }
    } catch (error) {
      if (!(error instanceof AppError) && !isTimeout(error)) {
        throw error;
      }
      log.warn({ err: error, search: search.id, repository: repoId }, "a watched search could not be held against what was added");
    }
  }
}

/** Characters of a line, and lines of an alert. */
const MAX_TEXT = 200;
const MAX_LINES = 20;

type Finding = { readonly added: Added; readonly ref: string; readonly watch: Watch; readonly end: number };
type Found = { readonly matches: number; readonly lines: readonly WatchLine[]; readonly note: string | null };

async function findAdded(database: CodeIndexDatabase, { added, ref, watch, end }: Finding): Promise<Found | undefined> {
  const until = Math.min(end, performance.now() + MAX_SEARCH_MS);
  const matching: WatchLine[] = [];
  let skipped = 0;
  for (const { path, line, text } of added.runs) {
    if (performance.now() > until || watch.isTooMuch(text)) {
      skipped++;
      continue;
    }
    const numbers = await watch.findLines(text);
    const texts = numbers.length === 0 ? [] : text.split("\n");
    matching.push(...numbers.map((index) => ({ path, line: line + index, text: shorten(texts[index] ?? "") })));
  }
  const notes = [
    ...(added.note === null ? [] : [added.note]),
    ...(skipped > 0 ? [`Of the added places ${skipped} took too long to be looked at.`] : []),
  ];
  const paths =
    matching.length + notes.length === 0
      ? undefined
      : await pathsInScope(database, { ref, scope: watch.scope, paths: [...new Set(matching.map(({ path }) => path))] });
  const visible = matching.filter(({ path }) => paths?.has(path));
  return paths === undefined || visible.length + notes.length === 0
    ? undefined
    : { matches: visible.length, lines: visible.slice(0, MAX_LINES), note: notes.join(" ") || null };
}

function shorten(text: string): string {
  const plain = text.trim();
  return plain.length > MAX_TEXT ? `${plain.slice(0, MAX_TEXT - 1).toWellFormed()}…` : plain;
}
