/** Reads what a process prints, in pieces of the reader's own choice. */
export type StreamReader = {
  /** The next bytes, which stay to be read; fewer at the end of the stream. */
  readonly peek: (count: number) => Promise<Buffer>;
  /** Up to the byte, which is read but not returned; `undefined` at the end of the stream. */
  readonly until: (byte: number) => Promise<Buffer | undefined>;
  readonly take: (count: number) => Promise<Buffer | undefined>;
};

export function createReader(stream: AsyncIterable<Buffer>): StreamReader {
  const source = stream[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);

  /** Reads on until at least `count` bytes are held. */
  async function fill(count: number): Promise<boolean> {
    const parts = [held];
    let length = held.length;
    while (length < count) {
      const next = await source.next();
      if (next.done === true) {
        break;
      }
      parts.push(next.value);
      length += next.value.length;
    }
    held = parts.length === 1 ? held : Buffer.concat(parts);
    return length >= count;
  }

  async function take(count: number): Promise<Buffer | undefined> {
    if (!(await fill(count))) {
      return undefined;
    }
    const taken = held.subarray(0, count);
    held = held.subarray(count);
    return taken;
  }

  return {
    take,
    peek: async (count) => {
      if (held.length < count) {
        await fill(count);
      }
      return held.subarray(0, count);
    },
    until: async (byte) => {
      let at = held.indexOf(byte);
      while (at === -1) {
        if (!(await fill(held.length + 1))) {
          return undefined;
        }
        at = held.indexOf(byte);
      }
      const line = await take(at);
      await take(1);
      return line;
    },
  };
}
