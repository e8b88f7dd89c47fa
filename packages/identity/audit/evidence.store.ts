import type { Queries } from "#schema.ts";
import type { Anchor } from "./anchor.ts";
import { findLatestAcceptance, findLatestAnchor } from "./anchor.store.ts";
import { readHead, type ChainHead } from "./audit-chain.store.ts";
import { CHAIN_START } from "./chain.ts";

/** By the number of their last row: the hashes that the chain has there. */
export type ChainHashes = ReadonlyMap<number, Buffer | null>;

/** All that tells whether the end of the chain may be signed, as it was at one moment. */
export type Evidence = {
  /** Undefined when somebody has deleted the row. */
  readonly head: ChainHead | undefined;
  readonly hasAccounts: boolean;
  readonly signed: Anchor | undefined;
  readonly accepted: Anchor | undefined;
  /** Times of the rows behind the signed end. */
  readonly unsigned: { readonly earliest: Date | null; readonly latest: Date | null };
  /** At both anchors, and at the one that is kept outside. */
  readonly hashes: ChainHashes;
};

export async function readEvidence(queries: Queries, outside: Anchor | undefined): Promise<Evidence> {
  return queries
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (transaction) => {
      const signed = await findLatestAnchor(transaction);
      const accepted = await findLatestAcceptance(transaction);
      return {
        head: await readHead(transaction),
        hasAccounts: (await transaction.selectFrom("identity.users").select("id").limit(1).executeTakeFirst()) !== undefined,
        signed,
        accepted,
        unsigned: await transaction
          .selectFrom("identity.audit")
          .select((expression) => [expression.fn.min("at").as("earliest"), expression.fn.max("at").as("latest")])
          .where("id", ">", signed?.lastId ?? 0)
          .executeTakeFirstOrThrow(),
        hashes: await readHashes(
          transaction,
          [signed, accepted, outside].flatMap((anchor) => anchor ?? []),
        ),
      };
    });
}

export async function readHashes(queries: Queries, anchors: readonly Anchor[]): Promise<ChainHashes> {
  const ids = anchors.map(({ lastId }) => lastId);
  const rows = await queries
    .selectFrom("identity.audit")
    .select(["id", "hash"])
    .where("id", "in", [0, ...ids])
    .execute();
  return new Map([...rows.map(({ id, hash }) => [id, hash] as const), [0, CHAIN_START]]);
}
