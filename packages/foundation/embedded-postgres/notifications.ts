const HEADER = 5;
const NOTIFICATION = "A".charCodeAt(0);
const QUERY = "Q".charCodeAt(0);
/** A channel as it is written in a statement: as it is, or between quotes. */
const LISTEN = /^\s*listen\s+(?:"((?:[^"]|"")+)"|([a-z_][a-z0-9_$]*))\s*;?\s*$/i;

/** The channel that a client's batch begins to listen to; `undefined` of any other batch. */
export function listenedChannel(batch: Uint8Array): string | undefined {
  if (batch[0] !== QUERY) {
    return undefined;
  }
  const [, quoted, plain] = LISTEN.exec(Buffer.from(batch.subarray(HEADER, -1)).toString()) ?? [];
  return quoted?.replaceAll('""', '"') ?? plain?.toLowerCase();
}

/**
 * Reads along with what the engine answers and calls `hear` with each notification and its channel. The engine has one session,
 * so it tells that session alone, in the answer to whoever happens to ask.
 */
export function createNotificationReader(hear: (channel: string, message: Buffer) => void): (data: Buffer) => void {
  /** The beginning of a message whose header, or notification whose text, is not complete yet. */
  let begun: Buffer = Buffer.alloc(0);
  /** Bytes of a message of another kind that are still to come. */
  let skip = 0;

  return (data) => {
    let rest = begun.length === 0 ? data : Buffer.concat([begun, data]);
    for (;;) {
      const skipped = Math.min(skip, rest.length);
      skip -= skipped;
      rest = rest.subarray(skipped);
      if (rest.length < HEADER) {
        break;
      }
      const length = 1 + rest.readInt32BE(1);
      if (rest[0] !== NOTIFICATION) {
        skip = length;
        continue;
      }
      if (rest.length < length) {
        break;
      }
      const message = rest.subarray(0, length);
      // Behind the header and the number of the process that told.
      const name = message.subarray(HEADER + 4);
      hear(name.subarray(0, name.indexOf(0)).toString(), message);
      rest = rest.subarray(length);
    }
    begun = Buffer.from(rest);
  };
}
