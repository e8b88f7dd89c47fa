import { fromCursor } from "@sightline/foundation/cursor";
import { z } from "zod";
import type { ExperimentItem, ExperimentItemPage } from "#contract.ts";
import { findItems } from "#datasets/items.store.ts";
import { cutPage } from "#query/access/cursor.ts";
import type { Query } from "#schema.ts";
import type { InProject } from "#store/reader.ts";
import { listItemIds, type Only } from "./compared-items.store.ts";
import type { ExperimentRow } from "./experiments.store.ts";
import { listRuns, listScores, type RunRow, type ScoreRow } from "./runs.store.ts";

export type ComparedWanted = InProject & {
  readonly candidate: ExperimentRow;
  readonly baseline: readonly ExperimentRow[];
  readonly score: string | undefined;
  readonly only: Only;
  readonly cursor: string | null | undefined;
  readonly limit: number;
};

const SHOWN = 2_000;
const MAX_RUNS = 1_000;

/** A page of items with what the runs of both put out: where they differ most first. */
export async function listComparedItems(query: Query, wanted: ComparedWanted): Promise<ExperimentItemPage> {
  const { candidate, baseline, cursor, limit, projectId, reader } = wanted;
  const after = cursor === undefined || cursor === null ? undefined : fromCursor(cursor, z.tuple([z.number(), z.uuid()]));
  const found = await listItemIds(query, { ...wanted, baselineIds: baseline.map(({ id }) => id), after, limit: limit + 1 });
  const { shown, ...page } = cutPage(found, limit, ({ change, item_id: id }) => [change, id]);
  const ids = shown.map(({ item_id: id }) => id);
  if (ids.length === 0) {
    return { items: [], next_cursor: null };
  }
  const { dataset_id: datasetId, dataset_version: version, split } = candidate;
  const items = new Map(
    (await findItems(query, { projectId, reader, datasetId, version, split, ids })).map((item) => [item.item_id, item]),
  );
  const read = async (experiments: readonly ExperimentRow[]) => {
    const parts = await Promise.all(
      experiments.map(async ({ id: experimentId }) => {
        const of = { projectId, reader, experimentId, itemIds: ids };
        return { runs: await listRuns(query, { ...of, after: undefined, limit: MAX_RUNS }), scores: await listScores(query, of) };
      }),
    );
    return { runs: parts.flatMap(({ runs }) => runs), scores: parts.flatMap(({ scores }) => scores) };
  };
  const [own, others] = [await read([candidate]), await read(baseline)];
  return {
    items: ids.flatMap((id) => {
      const item = items.get(id);
      return item === undefined
        ? []
        : [
            {
              item_id: id,
              input: shorten(item.input),
              expected: shorten(item.expected),
              required: item.is_required,
              split: item.split,
              source: item.source,
              candidate: toCell(id, own),
              baseline: baseline.length === 0 ? null : toCell(id, others),
            },
          ];
    }),
    ...page,
  };
}

type Read = { readonly runs: readonly RunRow[]; readonly scores: readonly ScoreRow[] };

function toCell(id: string, { runs, scores }: Read): ExperimentItem["candidate"] {
  const own = scores.filter(({ item_id: itemId }) => itemId === id);
  return {
    runs: runs
      .filter(({ item_id: itemId }) => itemId === id)
      .map(({ repetition, state, output, error, trace_id: traceId }) => ({
        repetition,
        state,
        output: shorten(output),
        error,
        trace_id: traceId,
      })),
    scores: [...Map.groupBy(own, ({ name, source }) => JSON.stringify([name, source]))].flatMap(([, [first, ...rest]]) =>
      first === undefined ? [] : [meanOf(first, [first, ...rest])],
    ),
  };
}

function meanOf({ name, source }: ScoreRow, scores: readonly ScoreRow[]): ExperimentItem["candidate"]["scores"][number] {
  const values = scores.flatMap(({ value }) => value ?? []);
  return {
    name,
    source,
    mean: values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length,
    explanation:
      scores.find(({ explanation, error }) => (explanation ?? error) !== null)?.explanation ??
      scores.find(({ error }) => error !== null)?.error ??
      null,
  };
}

function shorten(value: unknown): string {
  return JSON.stringify(value).slice(0, SHOWN);
}
