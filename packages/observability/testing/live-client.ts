import type { Readable } from "node:stream";
import { liveTracesSchema, type LiveTraces } from "#contract.ts";
import type { ApiRig } from "./api-rig.ts";

export type LiveClient = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly traces: readonly (LiveTraces & { readonly at: number })[];
  /** Names of events, and `comment`, in the order in which they came. */
  readonly names: readonly string[];
  /** The last event's data. */
  readonly last: () => unknown;
  readonly isEnded: () => boolean;
  readonly close: () => void;
};

/** Opens a stream of a project and reads it. */
export async function openLive({ server }: ApiRig, path: string, token = "tenant-1:admin"): Promise<LiveClient> {
  const answer = await server.inject({ url: path, headers: { authorization: `Bearer ${token}` }, payloadAsStream: true });
  const [traces, names]: [(LiveTraces & { at: number })[], string[]] = [[], []];
  let last: unknown;
  let isEnded = false;
  const stream: Readable = answer.stream();
  stream.on("end", () => (isEnded = true)).on("error", () => (isEnded = true));
  let rest = "";
  stream.on("data", (chunk: Buffer) => {
    const frames = `${rest}${chunk.toString()}`.split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const [, name] = /^event: (.*)$/m.exec(frame) ?? [];
      names.push(name ?? (frame.startsWith(":") ? "comment" : "retry"));
      const [, data] = /^data: (.*)$/m.exec(frame) ?? [];
      last = data === undefined ? last : JSON.parse(data);
      if (name === "traces") {
        traces.push({ ...liveTracesSchema.parse(last), at: performance.now() });
      }
    }
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    traces,
    names,
    last: () => last,
    isEnded: () => isEnded,
    close: () => stream.destroy(),
  };
}
