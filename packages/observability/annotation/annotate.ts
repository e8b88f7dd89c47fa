import { orRefuse } from "@sightline/foundation/errors";
import type { z } from "zod";
import type { annotateRequestSchema, Label } from "#contract.ts";
import { requireScoreValue } from "#query/access/score-value.ts";
import type { Query } from "#schema.ts";
import { listScoreConfigs } from "#store/score-configs.store.ts";
import { labelsMissing, notDone, notQueued, notYours } from "./annotation.errors.ts";
import type { QueueRow } from "./queues.store.ts";
import { lockSlots, publishLabels, putSlot, type OfTrace, type Slot } from "./slots.store.ts";

type Given = z.output<typeof annotateRequestSchema>;
type Annotating = OfTrace & { readonly queue: QueueRow; readonly annotator: string };

/**
 * Writes what a person says of a trace that they hold, or what counts where labels differ. @returns the trace's slots.
 *
 * @throws {AppError} 400 `labels_missing`, 400 `invalid_score`, 404 `trace_not_queued`, 409 `trace_not_yours`, 409 `trace_not_done`.
 */
export async function annotate(query: Query, annotating: Annotating, given: Given): Promise<readonly Slot[]> {
  const labels = "labels" in given ? await readLabels(query, annotating, given.labels) : [];
  return query.transaction().execute(async (transaction) => {
    const slots = await lockSlots(transaction, annotating);
    const any = orRefuse(slots[0], notQueued);
    const isHeld = (each: Slot) => each.annotator === annotating.annotator && each.state === "waiting";
    const resolves = "labels" in given && given.resolves;
    const { slot } = resolves ? { slot: 0 } : orRefuse(slots.find(isHeld), notYours);
    const state = resolves ? "resolved" : "skip" in given ? "skipped" : "labelled";
    const reason = "skip" in given ? given.skip : null;
    const written: Slot = { ...any, slot, state, annotator: annotating.annotator, labels, reason };
    const all = [written, ...slots.filter((each) => each.slot !== slot)];
    const isDone = all.every((each) => each.state !== "waiting");
    if (resolves && !isDone) {
      throw notDone();
    }
    await putSlot(transaction, annotating, written);
    if (isDone) {
      await publishLabels(transaction, annotating, all, differ(all));
    }
    return all;
  });
}

/** @throws {AppError} as {@link annotate} does. */
async function readLabels(query: Query, { projectId, reader, queue }: Annotating, given: Extract<Given, { labels: unknown }>["labels"]) {
  const configs = await listScoreConfigs(query, { projectId, reader });
  const needed = queue.scores.filter((score) => configs.some(({ name, data_type: type }) => name === score && type !== "text"));
  const names = given.map(({ name }) => name);
  const wrong = [
    ...needed.filter((name) => !names.includes(name)),
    ...names.filter((name, at) => !queue.scores.includes(name) || names.indexOf(name) !== at),
  ];
  if (wrong.length > 0) {
    throw labelsMissing(wrong);
  }
  const read = async ({ comment, ...score }: (typeof given)[number]): Promise<Label> => ({
    name: score.name,
    ...(await requireScoreValue(query, { projectId, reader, score })),
    comment: comment ?? null,
  });
  return Promise.all(given.map(read));
}

/** Whether people said different things; texts are not compared. */
function differ(slots: readonly Slot[]): boolean {
  const labels = slots.flatMap((slot) => (slot.state === "labelled" ? slot.labels : [])).filter((label) => label.data_type !== "text");
  const said = labels.map(({ name, value, text_value: text }) => JSON.stringify([name, value ?? text]));
  return new Set(said).size > new Set(labels.map(({ name }) => name)).size;
}
