import type { Command } from "ioredis";
import { EVENT_VERSION } from "../event/event.ts";
import type { Settings } from "../settings/settings.ts";
import type { EntryFields } from "./event-buffer.ts";

/** A command whose words are written as they go to Redis. */
export type CreateCommand = (name: string, text: string, encoding: "latin1" | "utf8") => Command;

/** The client takes longer to write the 22 words of an event one by one than everything else takes that an event needs. */
export async function loadWrittenCommand(): Promise<CreateCommand> {
  const { Command: ClientCommand } = await import("ioredis");
  class WrittenCommand extends ClientCommand {
    readonly #bytes: Buffer;

    constructor(...[name, text, encoding]: Parameters<CreateCommand>) {
      super(name);
      this.#bytes = Buffer.from(text, encoding);
    }

    override toWritable(): Buffer {
      return this.#bytes;
    }
  }
  return (...given) => new WrittenCommand(...given);
}

/** `XADD key MAXLEN ~ length *` and eight fields with their values. */
const WORDS_OF_ENTRY = 22;

/** Writes entries of a producer, each as the command that adds it to the partition of this key. */
export function entryWriter({ projectId, maxStreamLength }: Settings, key: string, producerId: string): (entry: EntryFields) => string {
  const same = ["v", String(EVENT_VERSION), "project_id", projectId, "producer_id", producerId];
  const beginning = `*${WORDS_OF_ENTRY}\r\n${writeWords("xadd", key, "MAXLEN", "~", String(maxStreamLength), "*", ...same)}`;
  return ({ id, type, seq, ts, body }) =>
    `${beginning}${writeWords("id", id, "type", type, "seq", String(seq), "ts", ts, "body")}${writeWords(body)}`;
}

export function writeWords(...words: readonly string[]): string {
  let text = "";
  for (const word of words) {
    text += `$${Buffer.byteLength(word)}\r\n${word}\r\n`;
  }
  return text;
}
