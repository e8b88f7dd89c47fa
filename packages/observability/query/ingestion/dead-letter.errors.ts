import { refusal } from "@sightline/foundation/errors";

/** The answer is the same whether it doesn't exist or names no project of the tenant. */
export const deadLetterNotFound = () =>
  refusal(404, "dead_letter_not_found", "There is no dead letter of that id among those you may see; GET /api/v1/dead-letters lists them.");
export const deadLetterNotOpen = (state: string) =>
  refusal(
    409,
    "dead_letter_not_open",
    `This dead letter is ${state} already. What was replayed and failed again is a dead letter of its own.`,
  );
export const deadLetterCut = () =>
  refusal(
    409,
    "dead_letter_cut",
    "Only the beginning of this entry was kept, since it was longer than any event can be, so it can't be replayed: delete it, and have the producer send it again in smaller parts.",
  );
export const notYourProject = () =>
  refusal(404, "project_not_found", "The entry names a project that is not yours; GET /api/v1/projects lists yours.");
export const streamFull = (length: number) =>
  refusal(
    503,
    "stream_full",
    `${length} events wait on the stream, and more could push some off it. Replay when the consumer has caught up.`,
    { headers: { "retry-after": "60" } },
  );
export const streamAway = (cause: unknown) =>
  refusal(
    503,
    "stream_unavailable",
    "The stream's Redis does not answer. Nothing was replayed for sure; an event that was replayed twice is still one.",
    { headers: { "retry-after": "5" }, cause },
  );
