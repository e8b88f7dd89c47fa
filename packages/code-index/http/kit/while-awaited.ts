import type { ServerResponse } from "node:http";
import { AppError } from "@sightline/foundation/errors";

/** Aborted when whoever asked is gone before the answer. */
export function whileAwaited(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () =>
    gone.abort(new AppError({ code: "request_abandoned", status: 499, message: "Nobody waits for the answer." })),
  );
  return gone.signal;
}
