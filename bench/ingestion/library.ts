export type Message = { readonly role: string; readonly content: string };

/** A tracing library, ready to record model calls. */
export type Library = {
  /** Runs work within a trace, as the calls of a request are made. */
  readonly trace: <T>(work: () => T) => T;
  /** Records one call as an application does it: its start with the messages, its end with the answer. */
  readonly call: (messages: readonly Message[], answer: string) => void;
  /** Sends what is left. */
  readonly close: () => Promise<void>;
};

/** What the modules of libraries export. `sink` is an HTTP server that takes everything, or a Redis. */
export type Open = (sink: string) => Promise<Library>;

const WORDS = "the agent reads orders and answers with what it has found about each parcel on its way to the customer in spring".split(" ");
const MESSAGE_SIZE = 1000;

export const CALLS_OF_A_TRACE = 50;

/** Messages of a conversation of so many characters; no two alike, so that nothing is saved by having been sent before. */
export function conversationOf(size: number, seed: number, messageSize = MESSAGE_SIZE): Message[] {
  return Array.from({ length: Math.ceil(size / messageSize) }, (_value, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: textOf(Math.min(size, messageSize), seed * 1000 + index),
  }));
}

function textOf(size: number, seed: number): string {
  const words = [`${seed}:`];
  for (let length = words[0]?.length ?? 0, index = seed; length < size; index += 7) {
    const word = WORDS[index % WORDS.length] ?? "";
    words.push(word);
    length += word.length + 1;
  }
  return words.join(" ").slice(0, size);
}
