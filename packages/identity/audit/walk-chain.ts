import type { Queries } from "#schema.ts";
import { signingTime, type Anchor } from "./anchor.ts";
import { readChain, type ChainHead } from "./audit-chain.store.ts";
import { CHAIN_START, chainHash, type StoredRow } from "./chain.ts";

export type ChainVerdict = {
  readonly intact: boolean;
  /** Rows that were recomputed; up to the break when there is one. */
  readonly rows: number;
  /** Hash of the last row, in hex. */
  readonly head: string;
  readonly firstBrokenId: number | null;
  /** One sentence on what is wrong; undefined when the chain is intact. */
  readonly problem: string | undefined;
};

export type ChainExpectations = {
  /** The hash, in hex, of some row: one that was noted earlier. */
  readonly head?: string | undefined;
  /** Ends of the chain that it must have. */
  readonly anchors?: readonly Anchor[];
  /** Rows read at a time; for tests. */
  readonly batch?: number | undefined;
};

const BATCH = 2000;

/**
 * Recomputes the chain from its first row, in batches, while others go on appending. Finds rows that were changed, deleted (also the
 * last ones), inserted or swapped, and ends that the chain does not have.
 */
export async function walkChain(queries: Queries, { head, anchors = [], batch = BATCH }: ChainExpectations): Promise<ChainVerdict> {
  const walk = new ChainWalk(head, anchors);
  for (;;) {
    const part = await readChain(queries, walk.lastId, batch);
    if (part.head === undefined) {
      return walk.break(null, "The end of the chain, identity.audit_head, was deleted.");
    }
    const done = walk.take(part.rows) ?? (part.rows.length < batch ? walk.end(part.head) : undefined);
    if (done !== undefined) {
      return done;
    }
  }
}

class ChainWalk {
  readonly #expectedHead: string | undefined;
  readonly #anchors: ReadonlyMap<number, readonly Anchor[]>;
  #expectedFound: boolean;
  #hash: Buffer = CHAIN_START;
  #rows = 0;
  lastId: number | undefined;

  constructor(expectedHead: string | undefined, anchors: readonly Anchor[]) {
    this.#expectedHead = expectedHead;
    this.#expectedFound = expectedHead === undefined || expectedHead === CHAIN_START.toString("hex");
    this.#anchors = Map.groupBy(anchors, ({ lastId }) => lastId);
  }

  take(rows: readonly StoredRow[]): ChainVerdict | undefined {
    for (const row of rows) {
      const broken = this.#takeRow(row);
      if (broken !== undefined) {
        return broken;
      }
      this.lastId = row.id;
    }
    return undefined;
  }

  /** Ids have no gaps and begin with 1: under other numbers no row would be compared with what was signed. */
  #takeRow(row: StoredRow): ChainVerdict | undefined {
    const nextId = this.#rows + 1;
    if (row.id > nextId) {
      return this.break(nextId, `Row ${nextId} was deleted.`);
    }
    const hash = chainHash(this.#hash, row);
    if (row.id < nextId || row.hash === null || !hash.equals(row.hash)) {
      return this.break(row.id, `Row ${row.id} is not what was written there: it was changed, moved or inserted.`);
    }
    const other = this.#anchors.get(row.id)?.find((anchor) => !anchor.hash.equals(hash));
    if (other !== undefined) {
      return this.break(row.id, `Row ${row.id} is not the one that was signed at ${signingTime(other)}: the chain was made anew.`);
    }
    this.#hash = hash;
    this.#rows += 1;
    this.#expectedFound ||= hash.toString("hex") === this.#expectedHead;
    return undefined;
  }

  end(head: ChainHead): ChainVerdict {
    const nextId = this.#rows + 1;
    if (head.lastId >= nextId) {
      return this.break(nextId, `Row ${nextId} was deleted, and with it all that came after.`);
    }
    if (head.lastId < nextId - 1) {
      return this.break(head.lastId + 1, `Row ${head.lastId + 1} was inserted behind the chain's end.`);
    }
    if (!head.hash.equals(this.#hash) || head.rows !== this.#rows) {
      return this.break(this.lastId ?? null, "The end of the chain, identity.audit_head, does not fit the last row.");
    }
    const cut = [...this.#anchors.keys()].toSorted((one, other) => one - other).find((lastId) => lastId >= nextId);
    const [anchor] = cut === undefined ? [] : (this.#anchors.get(cut) ?? []);
    if (anchor !== undefined) {
      return this.break(
        nextId,
        `Rows ${nextId} to ${anchor.lastId}, which were signed at ${signingTime(anchor)}, are gone: the chain was cut off.`,
      );
    }
    if (!this.#expectedFound) {
      return this.break(
        null,
        "The head that was expected is not in this chain: it was written anew, or cut off, since that head was noted.",
      );
    }
    return this.#verdict({ intact: true, firstBrokenId: null, problem: undefined });
  }

  break(firstBrokenId: number | null, problem: string): ChainVerdict {
    return this.#verdict({ intact: false, firstBrokenId, problem });
  }

  #verdict(outcome: Pick<ChainVerdict, "intact" | "firstBrokenId" | "problem">): ChainVerdict {
    return { ...outcome, rows: this.#rows, head: this.#hash.toString("hex") };
  }
}
