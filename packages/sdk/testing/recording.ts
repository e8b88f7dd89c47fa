import { afterEach, beforeEach } from "vitest";
import { closeRedisPublisher, initializeRedisPublisher } from "#src/index.ts";
import { createTestStream, ofType, type ReadEvent } from "./stream.ts";

type Body = Readonly<Record<string, unknown>>;

/** Gives each test of a file a publisher and a stream of its own; `recorded` closes the one and reads the other. */
export function recordEachTest() {
  let stream: ReturnType<typeof createTestStream>;
  beforeEach(async () => {
    stream = createTestStream();
    await initializeRedisPublisher(stream.options);
  });
  afterEach(async () => {
    await closeRedisPublisher();
    await stream.stop();
  });
  return {
    options: () => stream.options,
    recorded: async () => {
      await closeRedisPublisher();
      return readRecording(await stream.read());
    },
  };
}

/** What a stream says, as a test wants to read it: each observation as `kind name < parent`. */
function readRecording(events: readonly ReadEvent[]) {
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
