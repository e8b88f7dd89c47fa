import type { Clock } from "@sightline/foundation/clock";
import type { Sealer } from "@sightline/foundation/secrets/sealing";
import type { Queries } from "#schema.ts";
import { isGenuine, makeAnchor, signingTime, type Anchor } from "./anchor.ts";
import { deleteAnchors, insertAnchor, listAnchors } from "./anchor.store.ts";
import { readHead, type ChainHead } from "./audit-chain.store.ts";
import { appendAudit } from "./audit.store.ts";
import { readHashes } from "./evidence.store.ts";
import { isInChain } from "./find-tampering.ts";
import type { OutsideAnchor } from "./outside-anchor.ts";
import { walkChain } from "./walk-chain.ts";

type Dependencies = { readonly queries: Queries; readonly sealer: Sealer; readonly outside: OutsideAnchor; readonly clock: Clock };

export type Acceptance = {
  /** The hash, in hex, of a row that the operator has seen as the last one. */
  readonly head: string;
  /** The name of the operator, as the audit shows it. */
  readonly by: string;
};

type Restore = {
  readonly head: ChainHead | undefined;
  /** Anchors of the database that were forged, or whose row is another one. */
  readonly unfit: readonly Anchor[];
  /** The last end that was signed and is given up, in words. */
  readonly lost: string;
};

export async function describeRestore({ queries, sealer, outside }: Omit<Dependencies, "clock">): Promise<Restore> {
  const kept = await outside.read();
  const inside = await listAnchors(queries);
  const known = kept === undefined ? inside : [...inside, kept];
  const hashes = await readHashes(queries, known);
  const unfit = inside.filter((anchor) => !isGenuine(sealer, anchor) || !isInChain(anchor, hashes));
  const [lost] = known.filter((anchor) => !isInChain(anchor, hashes)).toSorted((one, other) => other.lastId - one.lastId);
  return { head: await readHead(queries), unfit, lost: endInWords(lost) };
}

/**
 * Takes the chain for what it is now, as after the restore of a backup. A row of the chain says what was given up for what; the
 * signature over it tells other hosts that what they have kept since before does not count any more.
 *
 * @throws {Error} when the chain is broken in itself, or does not have the row that the operator has seen.
 */
export async function acceptRestore(dependencies: Dependencies, { head: seen, by }: Acceptance): Promise<Anchor> {
  const { queries, sealer, outside, clock } = dependencies;
  const chain = await walkChain(queries, { head: seen });
  if (!chain.intact) {
    throw new Error(`Nothing was accepted. ${chain.problem ?? ""} Restore a database whose rows fit each other, and the head you saw.`);
  }
  const { unfit, lost } = await describeRestore(dependencies);
  const at = clock.now();
  const details = { origin: "command", by, from: lost, to: `row ${chain.rows}, ${chain.head}` };
  const anchor = await queries.transaction().execute(async (transaction) => {
    await deleteAnchors(transaction, unfit);
    await appendAudit(transaction, { event: "audit_restore_accepted", at, details });
    const head = await readHead(transaction);
    if (head === undefined) {
      throw new Error("The end of the chain was deleted at this moment.");
    }
    const accepted = makeAnchor(sealer, head, at, { accepted: true });
    await insertAnchor(transaction, accepted);
    return accepted;
  });
  await outside.write(anchor);
  return anchor;
}

function endInWords(lost: Anchor | undefined): string {
  return lost === undefined
    ? "no signed end that this host knows"
    : `row ${lost.lastId}, signed at ${signingTime(lost)}, ${lost.hash.toString("hex")}`;
}
