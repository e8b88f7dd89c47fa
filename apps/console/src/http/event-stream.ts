export type StreamedEvent = { readonly event: string; readonly data: string };

/**
 * The events of a stream (`text/event-stream`), until it ends. Comments give an event without a name and data, so that whoever
 * listens knows that the other side is still there.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const blocks = `${rest}${next.value}`.replaceAll("\r\n", "\n").split("\n\n");
      rest = blocks.pop() ?? "";
      yield* blocks.map(eventOf);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf(block: string): StreamedEvent {
  const lines = block.split("\n");
  const data = lines.flatMap((line) => fieldOf(line, "data") ?? []).join("\n");
  const named = lines.map((line) => fieldOf(line, "event")).findLast((name) => name !== undefined);
  return { event: named ?? (data === "" ? "" : "message"), data };
}

function fieldOf(line: string, name: string): string | undefined {
  return line.startsWith(`${name}:`) ? line.slice(name.length + 1).replace(/^ /, "") : undefined;
}
