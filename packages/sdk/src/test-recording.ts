import type { ReadEvent } from "./test-stream.ts";
import { ofType } from "./test-stream.ts";

type Body = Readonly<Record<string, unknown>>;

/** What a stream says, as a test wants to read it: each observation as `kind name < parent`. */
export function readRecording(events: readonly ReadEvent[]) {
  const starts = ofType(events, "observation.start");
  const ends = ofType(events, "observation.end");
  const endOf = (start: Body | undefined): Body => ends.find((end) => end["observation_id"] === start?.["observation_id"]) ?? {};
  const nameOf = (id: unknown) => starts.find((start) => start["observation_id"] === id)?.["name"] ?? "-";
  return {
    events,
    starts,
    ends,
    endOf,
    find: (name: string) => {
      const start = starts.find((candidate) => candidate["name"] === name);
      return { start: start ?? {}, end: endOf(start) };
    },
    tree: starts.map((start) => [start["kind"], start["name"], "<", nameOf(start["parent_id"])].join(" ")),
    traces: ofType(events, "trace.start"),
    traceEnds: ofType(events, "trace.end"),
    graphs: ofType(events, "graph"),
  };
}
