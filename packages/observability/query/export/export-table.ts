import type { ListedTrace } from "#contract.ts";
import { toRecord } from "#csv-record.ts";
import { presentEntry } from "#query/list/list-traces.routes.ts";
import { countLostEvents } from "#query/steps/lost-events.store.ts";
import { LABEL_NAMES } from "#trace-labels.ts";
import { TRACE_NUMBERS } from "#step-numbers.ts";
import type { ExportOptions } from "./export-traces.ts";

const COLUMNS = [
  ...(["id", "name", "status", "started_at", "ended_at", "waiting_ms", "observations", "failures", "lost_events"] as const),
  ...TRACE_NUMBERS,
  ...(["session_id", "user_id", "thread_id", "purpose"] as const),
  ...LABEL_NAMES,
  ...(["tags", "models", "input", "output", "error"] as const),
];

/**
 * A project's traces as a table, a row each as the list has them; of tags, models and scores several in a cell. What fails on the way
 * breaks the answer off, so that no part is taken for the whole.
 */
export async function* exportTable({ query, projectId, pages, check, onError }: Omit<ExportOptions, "reader" | "withValues">) {
  try {
    yield toRecord([...COLUMNS, "scores"]);
    for await (const page of pages) {
      const lost = await countLostEvents(query, projectId, page);
      yield page.map((row) => toRow(presentEntry(row, lost))).join("");
      await check();
    }
    await check();
  } catch (error) {
    onError(error);
    throw error;
  }
}

function toRow(trace: ListedTrace): string {
  const cells = COLUMNS.map((name) => {
    const value = trace[name];
    return Array.isArray(value) ? value.join(", ") : value;
  });
  return toRecord([...cells, trace.scores.map(({ name, value }) => `${name}: ${value}`).join(", ")]);
}
