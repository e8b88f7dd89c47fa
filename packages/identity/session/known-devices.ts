import { createHash, randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "@sightline/foundation/clock";
import type { Queries, Transaction } from "#schema.ts";
import { createTokenCookie } from "./cookies.ts";
import { deleteDevicesBeyond, isKnownDevice, moveDevice, upsertDevice } from "./known-device.store.ts";

/** The hash of a browser's cookie, known or not. */
export type PresentedDevice = Buffer | undefined;

export type KnownDevices = ReturnType<typeof createKnownDevices>;

const TOKEN_BYTES = 32;
/** 180 days without a login. */
const SECONDS = 180 * 24 * 3600;
const MAX_PER_ACCOUNT = 20;

type Dependencies = { readonly queries: Queries; readonly clock: Clock; readonly publicUrl: string };

/**
 * Browsers in which an account was fully logged in. Theirs are tries of their own, which strangers who guess at the account do not
 * use up; they open nothing. A token is good until the next login there, which replaces it; only its hash is stored.
 */
export function createKnownDevices({ queries, clock, publicUrl }: Dependencies) {
  const cookie = createTokenCookie(publicUrl, "sightline_device", "lax");

  async function findName(presented: PresentedDevice, foldedEmail?: string): Promise<string | undefined> {
    const isKnown = presented !== undefined && (await isKnownDevice(queries, presented, clock.now(), foldedEmail));
    return isKnown ? presented.toString("base64url") : undefined;
  }

  return {
    presented: (request: FastifyRequest): PresentedDevice => {
      const token = cookie.read(request);
      return token === undefined ? undefined : hashDeviceToken(token);
    },

    /** @returns the name by which its tries are counted; undefined when the account was never logged in there. */
    knownTo: (presented: PresentedDevice, foldedEmail: string): Promise<string | undefined> => findName(presented, foldedEmail),

    /** Finds the device of any account, while it is not known yet whose login this will be. */
    knownToAnybody: (presented: PresentedDevice): Promise<string | undefined> => findName(presented),

    /** Makes the device known to the account. @returns the token for its cookie. */
    remember: async (transaction: Transaction, userId: string, presented: PresentedDevice): Promise<string> => {
      const now = clock.now();
      const token = randomBytes(TOKEN_BYTES).toString("base64url");
      const tokenHash = hashDeviceToken(token);
      if (presented !== undefined) {
        await moveDevice(transaction, presented, tokenHash);
      }
      await upsertDevice(transaction, { tokenHash, userId }, now, new Date(now.getTime() + SECONDS * 1000));
      await deleteDevicesBeyond(transaction, userId, MAX_PER_ACCOUNT);
      return token;
    },

    setCookie: (reply: FastifyReply, token: string): void => cookie.set(reply, token, SECONDS),
  };
}

function hashDeviceToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
