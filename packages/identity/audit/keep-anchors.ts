import { appendFile } from "node:fs/promises";
import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import { post } from "@sightline/foundation/outbound/post";
import { repeat } from "@sightline/foundation/repeat";
import type { Sealer } from "@sightline/foundation/secrets/sealing";
import type { Queries } from "#schema.ts";
import { anchorLine, isGenuine, makeAnchor, type Anchor } from "./anchor.ts";
import { claimPublishing, findHashOfRow, findLatestAnchor, givePublishingBack, insertAnchor, thinAnchors } from "./anchor.store.ts";
import { readHead } from "./audit-chain.store.ts";

export type AnchorPlaces = {
  /** AUDIT_ANCHOR_FILE: each anchor is appended as a line. */
  readonly file: string | undefined;
  /** AUDIT_ANCHOR_URL: each anchor is posted. */
  readonly url: string | undefined;
};

type Audited = { readonly queries: Queries; readonly sealer: Sealer; readonly clock: Clock };

type Dependencies = AnchorPlaces & Audited & { readonly log: Logger };

const SIGN_EVERY_MS = 60_000;
const PUBLISH_EVERY_MS = 3600_000;
const KEEP_ALL_MS = 24 * 3600_000;
const POST_MS = 10_000;

/** The signed past does not fit the table any more. */
class TamperedAuditError extends Error {
  override readonly name = "TamperedAuditError";
}

/** @returns the present end of the chain, signed, as one line of JSON. */
export async function anchorNow({ queries, sealer, clock }: Audited): Promise<string> {
  const head = await readHead(queries);
  if (head === undefined) {
    throw new Error("The end of the audit's chain was deleted. See: sightline audit verify");
  }
  return anchorLine(makeAnchor(sealer, head, clock.now()));
}

/**
 * Signs the end of the chain every minute in which it moved, and writes it down outside every hour. What was signed before is
 * compared first: nothing is signed on top of a past that was rewritten.
 */
export function createAnchors({ queries, sealer, clock, log, file, url }: Dependencies) {
  let signedHere: Anchor | undefined;

  /** @throws {TamperedAuditError} */
  async function findTrusted(): Promise<Anchor | undefined> {
    const latest = await findLatestAnchor(queries);
    if (signedHere !== undefined && (latest === undefined || latest.lastId < signedHere.lastId)) {
      throw new TamperedAuditError(`the signed end of ${signedHere.at.toISOString()} was deleted`);
    }
    if (latest === undefined) {
      return undefined;
    }
    const hash = await findHashOfRow(queries, latest.lastId);
    if (!isGenuine(sealer, latest)) {
      throw new TamperedAuditError(`the signature of ${latest.at.toISOString()} is not ours`);
    }
    if (hash?.equals(latest.hash) !== true) {
      throw new TamperedAuditError(`row ${latest.lastId} is not the one that was signed at ${latest.at.toISOString()}`);
    }
    return latest;
  }

  async function publish(anchor: Anchor): Promise<void> {
    const line = anchorLine(anchor);
    if (file !== undefined) {
      await appendFile(file, `${line}\n`, { mode: 0o600 });
    }
    if (url !== undefined) {
      const { status } = await post({ url: new URL(url), headers: {}, body: line, maxBytes: 0, signal: AbortSignal.timeout(POST_MS) });
      if (status < 200 || status > 299) {
        throw new Error(`AUDIT_ANCHOR_URL answered ${status}.`);
      }
    }
  }

  async function publishWhenDue(anchor: Anchor, now: Date): Promise<void> {
    if ((file === undefined && url === undefined) || !(await claimPublishing(queries, now, PUBLISH_EVERY_MS))) {
      return;
    }
    try {
      await publish(anchor);
    } catch (error) {
      await givePublishingBack(queries);
      throw error;
    }
  }

  async function run(): Promise<void> {
    const now = clock.now();
    const latest = await findTrusted().catch((error: unknown) => {
      if (error instanceof TamperedAuditError) {
        log.error({ reason: error.message }, "the audit was tampered with; see: sightline audit verify");
      }
      throw error;
    });
    const head = await readHead(queries);
    if (head === undefined || head.rows === 0) {
      return;
    }
    signedHere = latest !== undefined && latest.lastId === head.lastId ? latest : makeAnchor(sealer, head, now);
    if (signedHere !== latest) {
      await insertAnchor(queries, signedHere);
      await thinAnchors(queries, new Date(now.getTime() - KEEP_ALL_MS));
    }
    await publishWhenDue(signedHere, now);
  }

  return { run, ...repeat({ log, tasks: [{ name: "signing the audit", everyMs: SIGN_EVERY_MS, run }] }) };
}
