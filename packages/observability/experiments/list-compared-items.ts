import { fromCursor } from "@sightline/foundation/cursor";
import { z } from "zod";
import type { ExperimentItem, ExperimentItemPage } from "#contract.ts";
import { cutPage } from "#query/access/cursor.ts";
import type { Query } from "#schema.ts";
import type { InProject } from "#store/reader.ts";
import { listItems, listShownRuns, listShownScores, type Only, type ShownRun, type ShownScore } from "./compared-items.store.ts";
import type { ExperimentRow } from "./experiments.store.ts";

export type ComparedWanted = InProject & {
  readonly candidate: ExperimentRow;
  readonly baseline: readonly ExperimentRow[];
  readonly score: string | undefined;
  readonly only: Only;
  readonly cursor: string | null | undefined;
  readonly limit: number;
};

/** Where items have many repetitions a page has fewer items, and all of their runs. */
const MAX_RUNS = 1_000;

/** A page of items with what the runs of both put out: where they differ most first. */
export async function listComparedItems(query: Query, wanted: ComparedWanted): Promise<ExperimentItemPage> {
  const { candidate, baseline, cursor, projectId, reader } = wanted;
  const after = cursor === undefined || cursor === null ? undefined : fromCursor(cursor, z.tuple([z.number(), z.uuid()]));
  const runsOfItem = [candidate, ...baseline].reduce((sum, { repetitions }) => sum + repetitions, 0);
  const limit = Math.min(wanted.limit, Math.max(1, Math.floor(MAX_RUNS / runsOfItem)));
  const found = await listItems(query, { ...wanted, baselineIds: baseline.map(({ id }) => id), after, limit: limit + 1 });
  const { shown, ...page } = cutPage(found, limit, ({ change, item_id: id }) => [change, id]);
  const read = async (experiments: readonly ExperimentRow[]): Promise<Read> => {
    const of = { projectId, reader, experimentIds: experiments.map(({ id }) => id), itemIds: shown.map((item) => item.item_id) };
    const [runs, scores] = await Promise.all([listShownRuns(query, of), listShownScores(query, of)]);
    return { runs: Map.groupBy(runs, (run) => run.item_id), scores: Map.groupBy(scores, (score) => score.item_id) };
  };
  const [own, others] = await Promise.all([read([candidate]), read(baseline)]);
  return {
    items: shown.map(({ item_id: id, input, expected, is_required: required, split, source }) => ({
      item_id: id,
      input,
      expected,
      required,
      split,
      source,
      candidate: toCell(id, own),
      baseline: baseline.length === 0 ? null : toCell(id, others),
    })),
    ...page,
  };
}

type Read = { readonly runs: ReadonlyMap<string, readonly ShownRun[]>; readonly scores: ReadonlyMap<string, readonly ShownScore[]> };

function toCell(id: string, { runs, scores }: Read): ExperimentItem["candidate"] {
  return {
    runs: (runs.get(id) ?? []).map(({ item_id: _item, ...run }) => run),
    scores: (scores.get(id) ?? []).map(({ item_id: _item, ...score }) => score),
  };
}
