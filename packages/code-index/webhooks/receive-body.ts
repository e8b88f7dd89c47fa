import type { Readable } from "node:stream";
import type { Clock } from "@sightline/foundation/clock";
import { AppError, refusal } from "@sightline/foundation/errors";
import { toNetwork } from "@sightline/foundation/http/client-network";
import type { Logger } from "@sightline/foundation/log";
import { createRareWarning } from "@sightline/foundation/rare-warning";

export type IntakeLimits = {
  /** GitHub's largest delivery. */
  readonly bodyBytes: number;
  /** Bytes of all bodies that are being received or worked on: their senders are not verified yet. */
  readonly bytesAtOnce: number;
  /** The part of these that one network may hold, so that nobody closes the webhook to all others. */
  readonly shareOfClient: number;
  /** The time in which a body has to be there as a whole; hosts themselves wait for 10 s. */
  readonly bodyMs: number;
};

const LIMITS: IntakeLimits = { bodyBytes: 25 * 1024 * 1024, bytesAtOnce: 200 * 1024 * 1024, shareOfClient: 1 / 4, bodyMs: 15_000 };

/** What a piece of a body takes at least, however few bytes it has: it is an object of its own. */
const PIECE_BYTES = 256;

/** One delivery, with what it holds of the memory for bodies. */
export type Intake = {
  /** The whole body. @throws {AppError} `busy` (503), `request_timeout` (408), `body_too_large` (413). */
  readonly receive: (body: Readable) => Promise<Buffer>;
  /** To be called when the delivery has been answered. */
  readonly release: () => void;
};

type IntakeOptions = { readonly log: Logger; readonly clock: Clock; readonly limits?: Partial<IntakeLimits> | undefined };

/**
 * Receives bodies of senders that nobody has verified yet, within bounds of memory and time. What counts is what has come,
 * not what a sender declares: otherwise a few connections that send nothing close the webhook to all others.
 */
export function createIntakes({ log, clock, limits: given }: IntakeOptions): (ip: string) => Intake {
  const limits = { ...LIMITS, ...given };
  const warn = createRareWarning({ log, clock, message: "webhook deliveries are refused" });
  const held = new Map<string, number>();
  let heldByAll = 0;

  return (ip) => {
    const network = toNetwork(ip);
    let own = 0;
    let released = false;
    const hold = (bytes: number) => {
      own += bytes;
      heldByAll += bytes;
      const ofNetwork = (held.get(network) ?? 0) + bytes;
      held.set(network, ofNetwork);
      if (ofNetwork === 0) {
        held.delete(network);
      }
    };
    const grow = (bytes: number) => {
      const ofNetwork = (held.get(network) ?? 0) + bytes;
      // What still comes of a sender that is gone must not be counted, since nobody would give it back.
      const fits = !released && heldByAll + bytes <= limits.bytesAtOnce && ofNetwork <= limits.bytesAtOnce * limits.shareOfClient;
      if (fits) {
        hold(bytes);
      }
      return fits;
    };
    return {
      release: () => {
        released = true;
        hold(-own);
      },
      receive: async (body) => {
        try {
          return await readWhole(body, grow, limits);
        } catch (error) {
          if (error instanceof AppError && (error.code === "busy" || error.code === "request_timeout")) {
            warn({ reason: error.message, network });
          }
          throw error;
        }
      },
    };
  };
}

/** Reads as bytes, since the signature is over the bytes as they were sent. */
function readWhole(body: Readable, grow: (bytes: number) => boolean, { bodyBytes, bodyMs }: IntakeLimits): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const pieces: Buffer[] = [];
  let length = 0;
  const late = setTimeout(() => reject(tooLate(bodyMs)), bodyMs);
  const onData = (piece: Buffer) => {
    length += piece.length;
    if (length > bodyBytes) {
      reject(refusal(413, "body_too_large", "The request's body is over this route's limit; send less."));
    } else if (grow(Math.max(piece.length, PIECE_BYTES))) {
      pieces.push(piece);
    } else {
      reject(busy());
    }
  };
  const onEnd = () => resolve(Buffer.concat(pieces, length));
  // The sender is gone, so nobody reads this.
  const onError = () => reject(refusal(400, "invalid_request", "The delivery broke off; send it again."));
  body.on("data", onData).once("end", onEnd).once("error", onError);
  return promise.finally(() => {
    clearTimeout(late);
    body.off("data", onData).off("end", onEnd);
    pieces.length = 0;
  });
}

function busy(): AppError {
  return refusal(503, "busy", "Too many large deliveries at once; send this one again in a few seconds.", {
    headers: { "retry-after": "10" },
    logged: true,
  });
}

function tooLate(bodyMs: number): AppError {
  return refusal(408, "request_timeout", `The body was not there within ${Math.ceil(bodyMs / 1000)} s; send the delivery again.`);
}
