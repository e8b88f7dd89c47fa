import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { parse, stringify } from "uuid";

export type RefreshTokens = ReturnType<typeof createRefreshTokens>;

type RefreshableSession = { readonly id: string; readonly refreshSalt: Buffer };

type PresentedToken = { readonly sessionId: string; readonly generation: number; readonly code: Buffer };

/**
 * For so long the token that was just replaced gets the same successor again, since two tabs may refresh at once and an
 * answer may get lost.
 */
const REPEAT_MS = 10_000;
const ID_BYTES = 16;
const GENERATION_BYTES = 4;
const CODE_BYTES = 32;
const ENCODED = /^[A-Za-z0-9_-]{70}$/;

/**
 * A refresh token is the HMAC of a session and how often it was rotated. So the token that follows a given one is
 * always the same: two tabs that refresh at once get one successor, and nothing that is stored opens a session.
 */
export function createRefreshTokens(secretKey: string) {
  const key = Buffer.from(hkdfSync("sha256", secretKey, "", "sightline.identity|refresh-token", CODE_BYTES));

  function codeOf(session: RefreshableSession, generation: number): Buffer {
    return createHmac("sha256", key).update(session.refreshSalt).update(headOf(session.id, generation)).digest();
  }

  return {
    of: (session: RefreshableSession, generation: number): string =>
      Buffer.concat([headOf(session.id, generation), codeOf(session, generation)]).toString("base64url"),
    /** Reads without trusting; ask `isGenuine` with the session that it names. */
    read: (token: string): PresentedToken | undefined => {
      if (!ENCODED.test(token)) {
        return undefined;
      }
      const bytes = Buffer.from(token, "base64url");
      const sessionId = readId(bytes.subarray(0, ID_BYTES));
      if (sessionId === undefined) {
        return undefined;
      }
      return { sessionId, generation: bytes.readUInt32BE(ID_BYTES), code: bytes.subarray(ID_BYTES + GENERATION_BYTES) };
    },
    isGenuine: (presented: PresentedToken, session: RefreshableSession): boolean =>
      presented.sessionId === session.id && timingSafeEqual(presented.code, codeOf(session, presented.generation)),
  };
}

/** Whether a token that is not the session's latest was stolen or copied; its session is revoked then. */
export function isReused(
  presented: PresentedToken,
  session: { readonly generation: number; readonly rotatedAt: Date },
  now: Date,
): boolean {
  return presented.generation !== session.generation - 1 || now.getTime() - session.rotatedAt.getTime() > REPEAT_MS;
}

function headOf(sessionId: string, generation: number): Buffer {
  const head = Buffer.alloc(ID_BYTES + GENERATION_BYTES);
  head.set(parse(sessionId));
  head.writeUInt32BE(generation, ID_BYTES);
  return head;
}

function readId(bytes: Uint8Array): string | undefined {
  try {
    return stringify(bytes);
  } catch {
    // Sixteen bytes that are no UUID: made up.
    return undefined;
  }
}
