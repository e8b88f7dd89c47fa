import { z } from "zod";
import { SealError, type Sealer } from "@sightline/foundation/secrets/sealing";
import type { ChainHead } from "./audit-chain.store.ts";

/** The end of the chain as it was at a time, with a proof that it was written by somebody who has the ring of keys. */
export type Anchor = ChainHead & {
  readonly at: Date;
  /** An operator accepted a restored database here: what was signed before and is not in the chain does not count any more. */
  readonly accepted: boolean;
  readonly seal: string;
};

export function makeAnchor(sealer: Sealer, head: ChainHead, at: Date, { accepted } = { accepted: false }): Anchor {
  const { lastId, rows, hash } = head;
  return { lastId, rows, hash, at, accepted, seal: sealer.seal(Buffer.from(sealedText({ ...head, at, accepted })), contextOf(head)) };
}

/** False also when the key that sealed it is not in the ring. */
export function isGenuine(sealer: Sealer, anchor: Anchor): boolean {
  try {
    return sealer.open(anchor.seal, contextOf(anchor)).toString() === sealedText(anchor);
  } catch (error) {
    if (error instanceof SealError) {
      return false;
    }
    throw error;
  }
}

/** How an anchor is written outside of the database: one line of JSON. */
export function anchorLine({ at, lastId, rows, hash, accepted, seal }: Anchor): string {
  return JSON.stringify({ at: at.toISOString(), last_id: lastId, rows, head: hash.toString("hex"), accepted, seal });
}

/** When it says that it was signed; whoever writes the database can write a time beyond all times there. */
export function signingTime({ at }: Anchor): string {
  return Number.isFinite(Number(at)) ? at.toISOString() : "no time";
}

const lineSchema = z.object({
  at: z.iso.datetime(),
  last_id: z.int(),
  rows: z.int(),
  head: z.string().regex(/^[0-9a-f]{64}$/),
  accepted: z.boolean(),
  seal: z.string(),
});

/** @returns undefined for a line that is none of `anchorLine`. */
export function readAnchorLine(line: string): Anchor | undefined {
  const parsed = lineSchema.safeParse(parseJson(line));
  if (!parsed.success) {
    return undefined;
  }
  const { at, last_id: lastId, rows, head, accepted, seal } = parsed.data;
  return { at: new Date(at), lastId, rows, hash: Buffer.from(head, "hex"), accepted, seal };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The purpose is the table and column in which the seal is kept, so that rotating the keys seals it anew. */
function contextOf({ lastId }: ChainHead) {
  return { purpose: "audit_anchors.seal", subject: String(lastId) };
}

function sealedText({ rows, hash, at, accepted }: Omit<Anchor, "seal">): string {
  return `${rows}|${hash.toString("hex")}|${Number(at)}|${accepted}`;
}
