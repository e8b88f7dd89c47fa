import { AppError } from "@sightline/foundation/errors";
import type { DraftEvent } from "./span-events.ts";
import type { StreamPublisher } from "./stream-publisher.ts";

const AWAY_SECONDS = 5;
const FULL_SECONDS = 15;

/** @throws {AppError} 429 while the stream has no room, 503 while Redis is away; what was sent may be sent again. */
export async function publishOrRefuse(
  publisher: Pick<StreamPublisher, "publish">,
  projectId: string,
  events: readonly DraftEvent[],
): Promise<void> {
  if ((await whileThere(publisher.publish(projectId, events))) === "full") {
    const message = "The event stream is full: the consumer is behind or does not run. Not all was taken; send it again.";
    throw retryLater({ code: "stream_full", status: 429, seconds: FULL_SECONDS, message });
  }
}

export async function whileThere<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    const message = "The event stream does not answer. Not all was taken; send it again, nothing is stored twice.";
    throw retryLater({ code: "stream_away", status: 503, seconds: AWAY_SECONDS, message, cause: error });
  }
}

type Retry = {
  readonly code: string;
  readonly status: 429 | 503;
  readonly seconds: number;
  readonly message: string;
  readonly cause?: unknown;
};

export function retryLater({ seconds, ...refused }: Retry): AppError {
  return new AppError({ ...refused, headers: { "retry-after": String(seconds) } });
}
