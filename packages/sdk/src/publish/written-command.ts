import type { Command } from "ioredis";

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

export function writeWords(...words: readonly string[]): string {
  let text = "";
  for (const word of words) {
    text += `$${Buffer.byteLength(word)}\r\n${word}\r\n`;
  }
  return text;
}
