import type { Sealer } from "@sightline/foundation/secrets/sealing";
import { isGenuine, signingTime, type Anchor } from "./anchor.ts";
import type { ChainHashes, Evidence } from "./evidence.store.ts";

/** Whoever appends is never further behind the clock of whoever signs: codes of second factors stop to be right at half a minute. */
const MAX_CLOCK_ERROR_MS = 3600_000;
/** A running Sightline signs every minute; registrations and commands may append while no identity runs. */
const MAX_UNSIGNED_MS = 24 * 3600_000;

/**
 * Decides whether the end of the chain may be signed. Times and hashes in rows are whatever the writer of the database wants; what
 * counts is what was sealed, and what this host keeps outside.
 *
 *   the end was deleted                                                    tampered
 *   nothing signed:  no rows, no accounts, and no end kept outside         new: the empty chain is signed
 *                    else                                                  tampered: emptied, or signatures were deleted
 *   signed:          forged, or not the hash that the chain has there      tampered
 *                    rows behind it that are older than it, or of more     tampered: written by hand
 *                      than a day, which no Sightline leaves unsigned
 *                    the end kept outside is not in the chain, or was      tampered or restored, unless an operator has
 *                      signed later than the last signature                  accepted that since
 *                    else                                                  whole: the present end is signed
 *
 * @returns one sentence on what is wrong; undefined when the end may be signed.
 */
export function findTampering(sealer: Sealer, evidence: Evidence, outside: Anchor | undefined): string | undefined {
  const { head, signed, accepted, hashes } = evidence;
  if (head === undefined) {
    return "The end of the chain, identity.audit_head, was deleted.";
  }
  if (signed === undefined) {
    return findWhyNotNew(evidence, outside);
  }
  if (!isGenuine(sealer, signed)) {
    return forgery(signed);
  }
  if (!isInChain(signed, hashes) || head.lastId < signed.lastId) {
    return `Row ${signed.lastId} is not the one that was signed at ${signingTime(signed)}: the chain was made anew, or cut off.`;
  }
  const late = findHandwritten(signed, evidence);
  if (late !== undefined) {
    return late;
  }
  const isSettled = accepted !== undefined && isGenuine(sealer, accepted) && isInChain(accepted, hashes) && settles(accepted, outside);
  return outside === undefined || isSettled || (isInChain(outside, hashes) && outside.lastId <= signed.lastId) ? undefined : lost(outside);
}

export function forgery(anchor: Anchor): string {
  return `The signature over row ${anchor.lastId} of ${signingTime(anchor)} does not hold: it was forged, or sealed with a key that ENCRYPTION_KEYS does not hold.`;
}

export function isInChain({ lastId, hash }: Anchor, hashes: ChainHashes): boolean {
  return hashes.get(lastId)?.equals(hash) === true;
}

/** Whether the operator knew, when accepting, that the other end might be gone. */
export function settles(accepted: Anchor, other: Anchor | undefined): boolean {
  return other !== undefined && Number(other.at) <= Number(accepted.at);
}

function findWhyNotNew({ head, hasAccounts }: Evidence, outside: Anchor | undefined): string | undefined {
  if (outside !== undefined) {
    return lost(outside);
  }
  if (head?.rows !== 0) {
    return "No end of this chain was ever signed, or the signatures were deleted.";
  }
  return hasAccounts ? "There are accounts, but no row tells how they were made: the audit was emptied." : undefined;
}

function lost(outside: Anchor): string {
  return `Row ${outside.lastId}, whose signature of ${signingTime(outside)} this host keeps, is not in this database with its signature: the database was restored from a backup or exchanged, or the audit was tampered with.`;
}

function findHandwritten(signed: Anchor, { unsigned: { earliest, latest } }: Evidence): string | undefined {
  if (earliest === null || latest === null) {
    return undefined;
  }
  const isOlder = Number(earliest) < Number(signed.at) - MAX_CLOCK_ERROR_MS;
  return isOlder || !(Number(latest) - Number(earliest) <= MAX_UNSIGNED_MS)
    ? `The rows behind row ${signed.lastId}, which was signed at ${signingTime(signed)}, ${isOlder ? "claim to be older than that signature" : "are of more than a day and were never signed"}: they were written by hand.`
    : undefined;
}
