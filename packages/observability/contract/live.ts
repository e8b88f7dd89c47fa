import { z } from "zod";

/**
 * `GET /api/v1/projects/:project_id/live?trace_id=`: server-sent events. They say that something changed, never what: ask the list, or
 * `…/steps?after_revision=`, again.
 *
 * - `event: ready` at the start: what changed before it may have been missed, so ask now. `data` is `{}`.
 * - `event: traces`, {@link liveTracesSchema}, five times a second at the most.
 * - `event: refused`, an error's body (`{error, message}`), and the stream ends: the token expired, the project is not yours any more.
 * - a comment every 15 seconds.
 *
 * A stream may end at any time, as when a replica stops; come back and ask on `ready`. It has no ids.
 */
export const liveRequestSchema = z.object({
  /** The id of any part of a trace: only its changes are sent then. */
  trace_id: z.uuid().optional(),
});

export const liveTracesSchema = z.object({
  /** Traces that changed, or parts of them. Of a stream of one trace, that trace's id as it was asked for. */
  trace_ids: z.array(z.uuid()),
  /** Others changed that are not named: too many, or the replica knows only that something did. */
  truncated: z.boolean(),
  /** Counts the events of this stream. */
  revision: z.int(),
});
export type LiveTraces = z.infer<typeof liveTracesSchema>;
