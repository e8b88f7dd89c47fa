import { describe, expect, it } from "vitest";
import { type StreamedEvent, readEvents } from "./event-stream.ts";

async function read(...pieces: readonly string[]): Promise<readonly StreamedEvent[]> {
  const bytes = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      pieces.forEach((piece) => controller.enqueue(bytes.encode(piece)));
      controller.close();
    },
  });
  const events: StreamedEvent[] = [];
  for await (const event of readEvents(body)) {
    events.push(event);
  }
  return events;
}

describe("an event stream", () => {
  it("gives its events with their names and data", async () => {
    expect(await read('event: ready\ndata: {}\n\nevent: traces\ndata: {"a":1}\n\n')).toEqual([
      { event: "ready", data: "{}" },
      { event: "traces", data: '{"a":1}' },
    ]);
  });

  it("may be cut anywhere on its way, and end its lines as it likes", async () => {
    expect(await read("event: tra", "ces\r\nda", "ta: é1\r", "\n\r\n")).toEqual([{ event: "traces", data: "é1" }]);
  });

  it("tells that it is alive by comments", async () => {
    expect(await read(": beat\n\n")).toEqual([{ event: "", data: "" }]);
  });

  it("joins the lines of one event's data, and drops what was not finished", async () => {
    expect(await read("data: a\ndata: b\n\ndata: lost")).toEqual([{ event: "message", data: "a\nb" }]);
  });
});
