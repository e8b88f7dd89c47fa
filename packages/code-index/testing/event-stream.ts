export type ServerSentEvent = { readonly id: string | undefined; readonly event: string; readonly data: unknown };

/** What a browser's EventSource sees of an address, one event at a time. */
export type OpenStream = {
  readonly status: number;
  readonly headers: Headers;
  /** The next event; `undefined` when the server has ended the stream. */
  readonly next: () => Promise<ServerSentEvent | undefined>;
  /** The comments so far. */
  readonly comments: readonly string[];
  readonly close: () => void;
};

export async function openStream(url: string, headers: Readonly<Record<string, string>>): Promise<OpenStream> {
  const closing = new AbortController();
  const response = await fetch(url, { headers, signal: closing.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const comments: string[] = [];
  let text = "";

  async function next(): Promise<ServerSentEvent | undefined> {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end === -1) {
        const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
        if (done) {
          return undefined;
        }
        text += value ?? "";
        continue;
      }
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const event = parse(block, comments);
      if (event !== undefined) {
        return event;
      }
    }
  }

  return { status: response.status, headers: response.headers, next, comments, close: () => closing.abort() };
}

function parse(block: string, comments: string[]): ServerSentEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [, name = "", value = ""] = /^([^:]*): ?(.*)$/.exec(line) ?? [];
    if (name === "") {
      comments.push(value);
    } else {
      fields.set(name, value);
    }
  }
  const data = fields.get("data");
  return data === undefined
    ? undefined
    : { id: fields.get("id"), event: fields.get("event") ?? "message", data: JSON.parse(data) as unknown };
}
