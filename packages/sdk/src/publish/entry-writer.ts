import { EVENT_VERSION } from "../event/event.ts";
import type { Settings } from "../settings/settings.ts";
import type { EntryFields } from "./event-buffer.ts";

/** `XADD key MAXLEN ~ length *` and eight fields with their values. */
const WORDS_OF_ENTRY = 22;
/** Most bytes that a UTF-16 unit takes. */
const UNIT_BYTES = 3;
/** What the lengths and names of an entry's own words take. */
const FIELDS_BYTES = 256;
const FIRST_BYTES = 64 * 1024;

/** Writes entries as the commands that add them to the stream, one after the other. What it answers is good until it writes again. */
export type EntryWriter = (entries: readonly EntryFields[]) => Uint8Array;

/**
 * Writes entries of a producer for the partition of this key. All go into the same memory, as to allocate for each and to put them
 * together afterwards takes longer than to write them.
 */
export function createEntryWriter({ projectId, maxStreamLength }: Settings, key: string, producerId: string): EntryWriter {
  const same = ["v", String(EVENT_VERSION), "project_id", projectId, "producer_id", producerId];
  const beginning = `*${WORDS_OF_ENTRY}\r\n${writeWords("xadd", key, "MAXLEN", "~", String(maxStreamLength), "*", ...same, "id")}`;
  const typeWords = new Map<string, string>();
  const wordsOf = (type: string): string => {
    const words = typeWords.get(type) ?? writeWords("type", type, "seq");
    typeWords.set(type, words);
    return words;
  };
  const nameOfTime = writeWords("ts");
  const nameOfBody = writeWords("body");
  let memory = Buffer.allocUnsafe(0);
  return (entries) => {
    let max = 0;
    for (const { id, type, ts, body } of entries) {
      max += (beginning.length + id.length + type.length + ts.length + body.length) * UNIT_BYTES + FIELDS_BYTES;
    }
    if (max > memory.length) {
      memory = Buffer.allocUnsafe(Math.max(max, FIRST_BYTES));
    }
    let end = 0;
    for (const { id, type, seq, ts, body } of entries) {
      end += memory.write(`${beginning}${own(id)}${wordsOf(type)}${own(String(seq))}${nameOfTime}${own(ts)}${nameOfBody}`, end);
      end += writeWord(memory, body, end);
    }
    return memory.subarray(0, end);
  };
}

/** A word of the SDK's own, all of ASCII. */
function own(word: string): string {
  return `$${word.length}\r\n${word}\r\n`;
}

/** How many bytes a long text takes is known best when it is written; most take one for each character. */
function writeWord(memory: Buffer, word: string, start: number): number {
  const guessed = `$${word.length}\r\n`;
  const length = memory.write(word, start + guessed.length);
  const heading = `$${length}\r\n`;
  if (heading.length !== guessed.length) {
    memory.copyWithin(start + heading.length, start + guessed.length, start + guessed.length + length);
  }
  memory.write(heading, start);
  return heading.length + length + memory.write("\r\n", start + heading.length + length);
}

export function writeWords(...words: readonly string[]): string {
  let text = "";
  for (const word of words) {
    text += `$${Buffer.byteLength(word)}\r\n${word}\r\n`;
  }
  return text;
}
