import type { Clock } from "@sightline/foundation/clock";
import type { Sealer } from "@sightline/foundation/secrets/sealing";
import type { Queries } from "#schema.ts";
import { isGenuine, type Anchor } from "./anchor.ts";
import { hasAccounts, listAnchors } from "./anchor.store.ts";
import { readChain, type ChainHead } from "./audit-chain.store.ts";
import { CHAIN_START, chainHash, type StoredRow } from "./chain.ts";

export type AuditVerdict = {
  readonly intact: boolean;
  /** Rows that were recomputed; up to the break when there is one. */
  readonly rows: number;
  /** Hash of the last row, in hex. */
  readonly head: string;
  readonly firstBrokenId: number | null;
  /** When the last of its signed ends was signed. */
  readonly signedAt: Date | undefined;
  /** One sentence on what is wrong; undefined when the chain is intact. */
  readonly problem: string | undefined;
};

type Dependencies = { readonly queries: Queries; readonly sealer: Sealer; readonly clock: Clock };

export type Expectations = {
  /** The hash, in hex, of some row: one that was noted earlier. */
  readonly head?: string | undefined;
  /** Ends of the chain that were written down elsewhere. */
  readonly anchors?: readonly Anchor[];
  /** Rows read at a time; for tests. */
  readonly batch?: number;
};

const BATCH = 2000;
/** A running installation signs the end of its chain every minute. */
const UNSIGNED_MS = 15 * 60_000;

/**
 * Recomputes the chain from its first row, in batches, while others go on appending. Finds rows that were changed,
 * deleted (also the last ones), inserted or swapped. A chain that somebody with the whole database made anew does not have the ends
 * that were signed; one that was taken back to an earlier signature lacks those that were written down elsewhere.
 *
 * @example
 * const { intact, head } = await verifyAudit({ queries, sealer, clock });
 * // Weeks later: everything up to there is as it was.
 * const later = await verifyAudit({ queries, sealer, clock }, { head });
 */
export async function verifyAudit({ queries, sealer, clock }: Dependencies, expected: Expectations = {}): Promise<AuditVerdict> {
  const { head: expectedHead, anchors: written = [], batch = BATCH } = expected;
  // Read before the rows: what is signed meanwhile may not be read any more.
  const signed = await listAnchors(queries);
  const walk = new ChainWalk(expectedHead, [...signed, ...written], { signed, accounts: await hasAccounts(queries), now: clock.now() });
  const forged = [...signed, ...written].find((anchor) => !isGenuine(sealer, anchor));
  if (forged !== undefined) {
    return walk.refuse(forged);
  }
  for (;;) {
    const { head, rows } = await readChain(queries, walk.lastId, batch);
    const broken = walk.start(head) ?? walk.take(rows) ?? (head !== undefined && rows.length < batch ? walk.end(head) : undefined);
    if (broken !== undefined) {
      return broken;
    }
  }
}

type Surroundings = { readonly signed: readonly Anchor[]; readonly accounts: boolean; readonly now: Date };

class ChainWalk {
  readonly #expectedHead: string | undefined;
  readonly #anchors: ReadonlyMap<number, readonly Anchor[]>;
  readonly #surroundings: Surroundings;
  #expectedFound: boolean;
  #hash: Buffer = CHAIN_START;
  #rows = 0;
  #nextId: number | undefined;
  #oldest: Date | undefined;
  lastId: number | undefined;

  constructor(expectedHead: string | undefined, anchors: readonly Anchor[], surroundings: Surroundings) {
    this.#expectedHead = expectedHead;
    this.#expectedFound = expectedHead === undefined || expectedHead === CHAIN_START.toString("hex");
    this.#anchors = Map.groupBy(anchors, ({ lastId }) => lastId);
    this.#surroundings = surroundings;
  }

  refuse({ at, lastId }: Anchor): AuditVerdict {
    return this.#broken(
      lastId,
      `The signature over row ${lastId} of ${at.toISOString()} does not hold: it was forged, or sealed with a key that ENCRYPTION_KEYS does not hold.`,
    );
  }

  /** Ids have no gaps, so the end tells which one is the first. */
  start(head: ChainHead | undefined): AuditVerdict | undefined {
    if (head === undefined) {
      return this.#broken(null, "The end of the chain, identity.audit_head, was deleted.");
    }
    this.#nextId ??= head.lastId - head.rows + 1;
    return undefined;
  }

  take(rows: readonly StoredRow[]): AuditVerdict | undefined {
    for (const row of rows) {
      const broken = this.#takeRow(row);
      if (broken !== undefined) {
        return broken;
      }
      this.lastId = row.id;
    }
    return undefined;
  }

  #takeRow(row: StoredRow): AuditVerdict | undefined {
    const nextId = this.#nextId ?? 1;
    if (row.id > nextId) {
      return this.#broken(nextId, `Row ${nextId} was deleted.`);
    }
    const hash = chainHash(this.#hash, row);
    if (row.id < nextId || row.hash === null || !hash.equals(row.hash)) {
      return this.#broken(row.id, `Row ${row.id} is not what was written there: it was changed, moved or inserted.`);
    }
    const other = this.#anchors.get(row.id)?.find((anchor) => !anchor.hash.equals(hash));
    if (other !== undefined) {
      return this.#broken(row.id, `Row ${row.id} is not the one that was signed at ${other.at.toISOString()}: the chain was made anew.`);
    }
    this.#hash = hash;
    this.#oldest ??= row.at;
    this.#rows += 1;
    this.#nextId = nextId + 1;
    this.#expectedFound ||= hash.toString("hex") === this.#expectedHead;
    return undefined;
  }

  end(head: ChainHead): AuditVerdict {
    const nextId = this.#nextId ?? 1;
    if (head.lastId >= nextId) {
      return this.#broken(nextId, `Row ${nextId} was deleted, and with it all that came after.`);
    }
    if (head.lastId < nextId - 1) {
      return this.#broken(head.lastId + 1, `Row ${head.lastId + 1} was inserted behind the chain's end.`);
    }
    if (!head.hash.equals(this.#hash)) {
      return this.#broken(this.lastId ?? null, "The end of the chain, identity.audit_head, is not the hash of the last row.");
    }
    const cut = [...this.#anchors.keys()].toSorted((one, other) => one - other).find((lastId) => lastId >= nextId);
    if (cut !== undefined) {
      const at = this.#anchors.get(cut)?.[0]?.at.toISOString();
      return this.#broken(nextId, `Rows ${nextId} to ${cut}, which were signed at ${at}, are gone: the chain was cut off.`);
    }
    const { signed, accounts, now } = this.#surroundings;
    if (accounts && this.#rows === 0) {
      return this.#broken(null, "There are accounts, but no row tells how they were made: the audit was emptied.");
    }
    if (signed.length === 0 && this.#oldest !== undefined && now.getTime() - this.#oldest.getTime() > UNSIGNED_MS) {
      return this.#broken(
        null,
        "No end of this chain was ever signed, or the signatures were deleted. If Sightline never ran on this database, start it once.",
      );
    }
    if (!this.#expectedFound) {
      return this.#broken(
        null,
        "The head that was expected is not in this chain: it was written anew, or cut off, since that head was noted.",
      );
    }
    return this.#verdict({ intact: true, firstBrokenId: null, problem: undefined });
  }

  #broken(firstBrokenId: number | null, problem: string): AuditVerdict {
    return this.#verdict({ intact: false, firstBrokenId, problem });
  }

  #verdict(outcome: Pick<AuditVerdict, "intact" | "firstBrokenId" | "problem">): AuditVerdict {
    const signedAt = this.#surroundings.signed.at(-1)?.at;
    return { ...outcome, rows: this.#rows, head: this.#hash.toString("hex"), signedAt };
  }
}
