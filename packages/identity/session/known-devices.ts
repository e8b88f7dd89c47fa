import { createHash, randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "@sightline/foundation/clock";
import type { Queries, Transaction } from "#schema.ts";
import { createTokenCookie } from "./cookies.ts";
import {
  deleteDevices,
  deleteDevicesBeyond,
  findKnownDevice,
  insertDevice,
  listKnownHashes,
  type DeviceOwner,
  type KnownDevice,
} from "./known-device.store.ts";

/** The tokens of a browser's cookie, known or not: one for each account that was logged in there. */
export type PresentedDevice = readonly string[];

export type KnownDevices = ReturnType<typeof createKnownDevices>;

const TOKEN_BYTES = 32;
/** 180 days without a login. */
const SECONDS = 180 * 24 * 3600;
const MAX_PER_ACCOUNT = 20;
/** Accounts that share a browser. */
const MAX_PER_BROWSER = 5;

type Dependencies = { readonly queries: Queries; readonly clock: Clock; readonly publicUrl: string };

/**
 * Browsers in which an account was fully logged in. Theirs are tries of their own, which strangers who guess at the account do not
 * use up; they open nothing. A token is good until the account's next login there, which replaces it and touches no other account's;
 * only its hash is stored.
 */
export function createKnownDevices({ queries, clock, publicUrl }: Dependencies) {
  const cookie = createTokenCookie(publicUrl, "sightline_device", "lax");

  return {
    presented: (request: FastifyRequest): PresentedDevice => (cookie.read(request) ?? "").split(".", MAX_PER_BROWSER).filter(Boolean),

    /** @returns by which token it is known to the account; undefined when that was never logged in there. */
    knownTo: async (presented: PresentedDevice, owner: DeviceOwner): Promise<KnownDevice | undefined> =>
      presented.length === 0 ? undefined : findKnownDevice(queries, hashesOf(presented), clock.now(), owner),

    /** Makes the device known to the account. @returns the value for its cookie. */
    remember: async (transaction: Transaction, userId: string, presented: PresentedDevice): Promise<string> => {
      const now = clock.now();
      const token = randomBytes(TOKEN_BYTES).toString("base64url");
      const others = await forgetOwnToken(transaction, userId, presented);
      await insertDevice(transaction, {
        tokenHash: hashDeviceToken(token),
        userId,
        now,
        expiresAt: new Date(now.getTime() + SECONDS * 1000),
      });
      await deleteDevicesBeyond(transaction, userId, MAX_PER_ACCOUNT);
      return [token, ...others].slice(0, MAX_PER_BROWSER).join(".");
    },

    setCookie: (reply: FastifyReply, token: string): void => cookie.set(reply, token, SECONDS),
  };
}

/** @returns the tokens that are other accounts'. */
async function forgetOwnToken(transaction: Transaction, userId: string, presented: PresentedDevice): Promise<PresentedDevice> {
  if (presented.length === 0) {
    return [];
  }
  const hashes = hashesOf(presented);
  await deleteDevices(transaction, userId, hashes);
  const known = await listKnownHashes(transaction, hashes);
  return presented.filter((token) => known.some((hash) => hash.equals(hashDeviceToken(token))));
}

/** The account's tokens of this browser stay when all its other devices are forgotten. */
export function hashesOf(presented: PresentedDevice): readonly Buffer[] {
  return presented.map(hashDeviceToken);
}

function hashDeviceToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
