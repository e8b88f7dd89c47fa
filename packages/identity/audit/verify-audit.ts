import type { Sealer } from "@sightline/foundation/secrets/sealing";
import type { Queries } from "#schema.ts";
import { isGenuine, type Anchor } from "./anchor.ts";
import { listAnchors } from "./anchor.store.ts";
import { readEvidence } from "./evidence.store.ts";
import { findTampering, forgery, settles } from "./find-tampering.ts";
import type { OutsideAnchor } from "./outside-anchor.ts";
import { walkChain, type ChainExpectations, type ChainVerdict } from "./walk-chain.ts";

export type AuditVerdict = ChainVerdict & {
  /** When the first and the last of its signed ends were signed. */
  readonly signed: { readonly since: Date | undefined; readonly until: Date | undefined };
  /** When an operator last accepted a restored database. */
  readonly acceptedAt: Date | undefined;
  /** The signed end that this host keeps outside of the database. */
  readonly kept: Anchor | undefined;
};

type Dependencies = { readonly queries: Queries; readonly sealer: Sealer; readonly outside: OutsideAnchor };

/**
 * Recomputes the chain, and compares it with what was signed: with the ends in the database, with the one that this host keeps, and
 * with those that were written down elsewhere. A chain that somebody with the whole database made anew does not have them; one that
 * was taken back to an earlier signature lacks those outside of the database.
 *
 * @example
 * const { intact, head } = await verifyAudit({ queries, sealer, outside });
 * // Weeks later: everything up to there is as it was.
 * const later = await verifyAudit({ queries, sealer, outside }, { head });
 */
export async function verifyAudit({ queries, sealer, outside }: Dependencies, expected: ChainExpectations = {}): Promise<AuditVerdict> {
  // Read before the rows: what is signed meanwhile may not be read any more.
  const kept = await outside.read();
  const evidence = await readEvidence(queries, kept);
  const inside = await listAnchors(queries);
  const given = expected.anchors ?? [];
  const forged = [...inside, ...given].find((anchor) => !isGenuine(sealer, anchor));
  const genuine = inside.filter((anchor) => isGenuine(sealer, anchor));
  const accepted = genuine.findLast((anchor) => anchor.accepted);
  const elsewhere = [...given, ...(kept === undefined ? [] : [kept])];
  const counting = accepted === undefined ? elsewhere : elsewhere.filter((anchor) => !settles(accepted, anchor));
  const walked = await walkChain(queries, { ...expected, anchors: [...genuine, ...counting] });
  const problem = forged === undefined ? findTampering(sealer, evidence, kept) : forgery(forged);
  return {
    ...walked,
    ...(walked.intact && problem !== undefined ? { intact: false, problem, firstBrokenId: forged?.lastId ?? null } : {}),
    signed: { since: genuine[0]?.at, until: genuine.at(-1)?.at },
    acceptedAt: accepted?.at,
    kept,
  };
}
