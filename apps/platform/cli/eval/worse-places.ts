import { experimentItemPageSchema, type CodeLine, type Gate } from "@sightline/observability/contract";
import type { EvaluationClient } from "./client.ts";

/** A line at which items that became worse failed, or came from, and how many of them. */
export type WorsePlace = { readonly place: CodeLine; readonly items: number };

const MAX_ITEMS = 100;

/** The lines of the items that became worse by the first score that did, those of most items first; none where nothing is known. */
export async function findWorsePlaces(client: EvaluationClient, gate: Gate, baseline: string): Promise<readonly WorsePlace[]> {
  const score = gate.scores.find(({ outcome }) => outcome === "worse");
  if (score === undefined) {
    return [];
  }
  const query = new URLSearchParams({ baseline, score: score.name, only: "worse", limit: String(MAX_ITEMS) });
  const { items } = experimentItemPageSchema.parse(
    await client.get(`/experiments/${gate.comparison.candidate.id}/items?${query.toString()}`),
  );
  const counted = new Map<string, WorsePlace>();
  for (const { candidate, source } of items) {
    const place = candidate.runs.find((run) => run.place !== null)?.place ?? source;
    if (place?.path !== undefined) {
      const key = JSON.stringify([place.path, place.line, place.function]);
      counted.set(key, { place, items: (counted.get(key)?.items ?? 0) + 1 });
    }
  }
  return [...counted.values()].toSorted((a, b) => b.items - a.items).slice(0, 10);
}

export const sayItems = (items: number) => (items === 1 ? "1 item" : `${items} items`);
