import { AppError } from "@sightline/foundation/errors";

/** The answer is the same whether it doesn't exist or names no project of the tenant. */
export function deadLetterNotFound(): AppError {
  return new AppError({
    code: "dead_letter_not_found",
    status: 404,
    message: "There is no dead letter of that id among those you may see; GET /api/v1/dead-letters lists them.",
  });
}

export function deadLetterNotOpen(state: string): AppError {
  return new AppError({
    code: "dead_letter_not_open",
    status: 409,
    message: `This dead letter is ${state} already. What was replayed and failed again is a dead letter of its own.`,
  });
}

export function deadLetterCut(): AppError {
  return new AppError({
    code: "dead_letter_cut",
    status: 409,
    message: "Only the beginning of this entry was kept, since it was longer than any event can be. Mend it with PATCH, or delete it.",
  });
}

export function stillUnreadable(reason: string): AppError {
  return new AppError({ code: "still_unreadable", status: 422, message: `The consumer would set this aside again: ${reason}.` });
}

export function notYourProject(): AppError {
  return new AppError({
    code: "project_not_found",
    status: 404,
    message: "The entry names a project that is not yours; GET /api/v1/projects lists yours.",
  });
}

export function streamFull(length: number): AppError {
  return new AppError({
    code: "stream_full",
    status: 503,
    message: `${length} events wait on the stream, and more could push some off it. Replay when the consumer has caught up.`,
    headers: { "retry-after": "60" },
  });
}

export function streamAway(cause: unknown): AppError {
  return new AppError({
    code: "stream_unavailable",
    status: 503,
    message: "The stream's Redis does not answer. Nothing was replayed for sure; an event that was replayed twice is still one.",
    headers: { "retry-after": "5" },
    cause,
  });
}
