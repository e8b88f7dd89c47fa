import { refusal } from "@sightline/foundation/errors";

/** The longest line that is read: an item whose every character takes the longest form of JSON. */
export const MAX_LINE_BYTES = 6 * 1024 * 1024;

/** Five for each item that a dataset may have; of nothing but line ends a file has many more, which take minutes. */
const MAX_LINES = 5_000_000;

/** Lines count from 1. */
export type Problem = { readonly line: number; readonly problem: string };
export type Line = { readonly line: number; readonly text: string } | Problem;

/** Lines with their ends, and no more than one of them in memory. @throws {AppError} 413 `too_many_lines`. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let [line, bytes]: [number, number] = [0, 0];
  let parts: Buffer[] = [];
  const keep = (part: Buffer) => {
    bytes += part.length;
    parts = bytes > MAX_LINE_BYTES ? [] : [...parts, part];
  };
  const take = (): Line => {
    const [whole, isLong] = [Buffer.concat(parts), bytes > MAX_LINE_BYTES];
    line += 1;
    if (line > MAX_LINES) {
      throw refusal(413, "too_many_lines", `A file has ${MAX_LINES} lines at the most. Send it in parts.`);
    }
    [bytes, parts] = [0, []];
    if (isLong) {
      return { line, problem: `is longer than ${MAX_LINE_BYTES} bytes` };
    }
    try {
      return { line, text: decoder.decode(whole) };
    } catch {
      return { line, problem: "is not UTF-8" };
    }
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", from)) {
      keep(chunk.subarray(from, end + 1));
      yield take();
      from = end + 1;
    }
    keep(chunk.subarray(from));
  }
  if (bytes > 0) {
    yield take();
  }
}
