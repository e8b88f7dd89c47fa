import type { Queries } from "#schema.ts";
import { readChain, type ChainHead } from "./audit-chain.store.ts";
import { CHAIN_START, chainHash, type StoredRow } from "./chain.ts";

export type AuditVerdict = {
  readonly intact: boolean;
  /** Rows that were recomputed; up to the break when there is one. */
  readonly rows: number;
  /** Hash of the last row, in hex. */
  readonly head: string;
  readonly firstBrokenId: number | null;
  /** One sentence on what is wrong; undefined when the chain is intact. */
  readonly problem: string | undefined;
};

const BATCH = 2000;

/**
 * Recomputes the chain from its first row, in batches, while others go on appending. Finds rows that were changed,
 * deleted (also the last ones), inserted or swapped. Who may write the whole database can make a new chain: against that
 * helps only a head that was noted elsewhere, which must be one of this chain's hashes.
 *
 * @example
 * const { intact, head } = await verifyAudit(queries);
 * // Weeks later: everything up to there is as it was.
 * const later = await verifyAudit(queries, head);
 */
export async function verifyAudit(queries: Queries, expectedHead?: string, batch = BATCH): Promise<AuditVerdict> {
  const walk = new ChainWalk(expectedHead);
  for (;;) {
    const { head, rows } = await readChain(queries, walk.lastId, batch);
    const broken = walk.start(head) ?? walk.take(rows) ?? (head !== undefined && rows.length < batch ? walk.end(head) : undefined);
    if (broken !== undefined) {
      return broken;
    }
  }
}

class ChainWalk {
  readonly #expectedHead: string | undefined;
  #expectedFound: boolean;
  #hash: Buffer = CHAIN_START;
  #rows = 0;
  #nextId: number | undefined;
  lastId = Number.MIN_SAFE_INTEGER;

  constructor(expectedHead: string | undefined) {
    this.#expectedHead = expectedHead;
    this.#expectedFound = expectedHead === undefined || expectedHead === CHAIN_START.toString("hex");
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
    this.#hash = hash;
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
      return this.#broken(
        this.#rows === 0 ? null : this.lastId,
        "The end of the chain, identity.audit_head, is not the hash of the last row.",
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
    return { ...outcome, rows: this.#rows, head: this.#hash.toString("hex") };
  }
}
