/** Messages that are answered together. */
export type Batch = {
  readonly bytes: Uint8Array;
  /** False when the client has not sent its Sync yet and goes on with the same statement. */
  readonly complete: boolean;
};

type Reactions = {
  readonly refuseEncryption: () => void;
  readonly end: () => void;
  readonly run: (batch: Batch) => void;
};

const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;

const PROTOCOL_MAJOR = 3;

const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

/** Messages after which the server answers: Query, Sync and function call end a unit of work; Flush and the end of a copy don't. */
const ANSWERED = new Set(["Q", "S", "F", "H", "c", "f"]);
const COMPLETE = new Set(["Q", "S", "F"]);

/** The message types a client may send after its greeting; the engine itself crashes on any other. */
const KNOWN = new Set(["B", "C", "D", "E", "F", "H", "P", "Q", "S", "X", "c", "d", "f"]);

/** Cuts a client's bytes into batches, each ready to be run in one go. */
export function createMessageReader({ refuseEncryption, end, run }: Reactions): (data: Buffer) => void {
  let received: Buffer = Buffer.alloc(0);
  let batch: Buffer[] = [];
  let started = false;

  /** Takes one message off the received bytes; false when it isn't complete yet. */
  function step(): boolean {
    const header = started ? 5 : 8;
    if (received.length < header) {
      return false;
    }
    const length = started ? 1 + received.readInt32BE(1) : received.readInt32BE(0);
    if (length < header || length > MAX_MESSAGE_BYTES) {
      end();
      return false;
    }
    if (received.length < length) {
      return false;
    }
    const message = received.subarray(0, length);
    received = received.subarray(length);
    if (started) {
      take(message);
    } else {
      greet(message);
    }
    return true;
  }

  function greet(message: Buffer): void {
    const code = message.readInt32BE(4);
    if (code === SSL_REQUEST || code === GSS_REQUEST) {
      refuseEncryption();
    } else if (code === CANCEL_REQUEST || code >> 16 !== PROTOCOL_MAJOR) {
      // Statements run to their end in the one session there is: nothing to cancel.
      end();
    } else {
      started = true;
      run({ bytes: new Uint8Array(message), complete: true });
    }
  }

  function take(message: Buffer): void {
    const type = String.fromCharCode(message[0] ?? 0);
    if (type === "X" || !KNOWN.has(type)) {
      batch = [];
      end();
      return;
    }
    batch.push(message);
    if (ANSWERED.has(type)) {
      const bytes = new Uint8Array(Buffer.concat(batch));
      batch = [];
      run({ bytes, complete: COMPLETE.has(type) });
    }
  }

  return (data) => {
    received = received.length === 0 ? data : Buffer.concat([received, data]);
    while (step());
  };
}
