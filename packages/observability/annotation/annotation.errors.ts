import { refusal } from "@sightline/foundation/errors";
import { LEASE_MINUTES, MAX_QUEUE_TRACES, MAX_QUEUES } from "#contract.ts";

export const queueNotFound = () =>
  refusal(404, "annotation_queue_not_found", "The project has no such annotation queue; GET …/annotation-queues lists those it has.");
export const queueNotMade = () =>
  refusal(409, "annotation_queue_not_made", `The project has a queue of that name, or ${MAX_QUEUES} queues, which is the most.`);
export const configMissing = (names: readonly string[]) =>
  refusal(409, "score_config_missing", `Say in the project's settings first what these scores mean: ${names.join(", ")}.`);
export const queueFull = () =>
  refusal(409, "annotation_queue_full", `A queue has at most ${MAX_QUEUE_TRACES} traces. Nothing was added; make another queue.`);
export const notQueued = () => refusal(404, "trace_not_queued", "The queue has no such trace, or the trace is kept no longer.");
export const notYours = () =>
  refusal(
    409,
    "trace_not_yours",
    `You do not hold this trace: take the next one. Somebody else is given what was not labelled within ${LEASE_MINUTES} minutes.`,
  );
export const notDone = () => refusal(409, "trace_not_done", "Somebody is still to label the trace. It can be resolved once it is done.");
export const labelsMissing = (names: readonly string[]) =>
  refusal(400, "labels_missing", `Give each score of the queue one label, and no others: ${names.join(", ")}.`);
