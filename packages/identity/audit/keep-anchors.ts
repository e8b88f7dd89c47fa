import { appendFile } from "node:fs/promises";
import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import { post } from "@sightline/foundation/outbound/post";
import { repeat } from "@sightline/foundation/repeat";
import type { Sealer } from "@sightline/foundation/secrets/sealing";
import type { Queries } from "#schema.ts";
import { anchorLine, makeAnchor, type Anchor } from "./anchor.ts";
import { claimPublishing, givePublishingBack, insertAnchor, thinAnchors } from "./anchor.store.ts";
import { readEvidence } from "./evidence.store.ts";
import { findTampering } from "./find-tampering.ts";
import type { OutsideAnchor } from "./outside-anchor.ts";

export type AnchorPlaces = {
  /** AUDIT_ANCHOR_FILE: each anchor is appended as a line. */
  readonly file: string | undefined;
  /** AUDIT_ANCHOR_URL: each anchor is posted. */
  readonly url: string | undefined;
};

type Audited = { readonly queries: Queries; readonly sealer: Sealer; readonly outside: OutsideAnchor; readonly clock: Clock };

type Dependencies = AnchorPlaces & Audited & { readonly log: Logger };

const SIGN_EVERY_MS = 60_000;
const PUBLISH_EVERY_MS = 3600_000;
const KEEP_ALL_MS = 24 * 3600_000;
const POST_MS = 10_000;

/** @returns the present end of the chain, signed, as one line of JSON. */
export async function anchorNow({ queries, sealer, outside, clock }: Audited): Promise<string> {
  const { head, tampering } = await inspect({ queries, sealer, outside });
  if (head === undefined || tampering !== undefined) {
    throw new Error(`Nothing is signed. ${tampering ?? ""} See: sightline audit verify`);
  }
  return anchorLine(makeAnchor(sealer, head, clock.now()));
}

async function inspect({ queries, sealer, outside }: Omit<Audited, "clock">) {
  // Before the database: an end that another process signs meanwhile would seem to be missing there.
  const kept = await outside.read();
  const evidence = await readEvidence(queries, kept);
  return { ...evidence, tampering: findTampering(sealer, evidence, kept) };
}

/**
 * Signs the end of the chain every minute in which it moved, keeps it on this host, and writes it down elsewhere every hour. What was
 * signed before is compared first: nothing is signed on top of a past that was rewritten.
 */
export function createAnchors({ queries, sealer, outside, clock, log, file, url }: Dependencies) {
  let found: string | undefined;

  /** Tells the operator once; nobody is refused a login for it. */
  function report(tampering: string | undefined): void {
    if (tampering !== undefined && tampering !== found) {
      log.error({ reason: tampering }, "the audit is not what was signed, and is not signed any more; see: sightline audit verify");
    }
    found = tampering;
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
    const isNowhere = file === undefined && url === undefined;
    if (isNowhere || anchor.rows === 0 || !(await claimPublishing(queries, now, PUBLISH_EVERY_MS))) {
      return;
    }
    try {
      await publish(anchor);
    } catch (error) {
      await givePublishingBack(queries);
      throw error;
    }
  }

  async function sign(now = clock.now()): Promise<Anchor | undefined> {
    const { head, signed, tampering } = await inspect({ queries, sealer, outside });
    report(tampering);
    if (head === undefined || tampering !== undefined) {
      return undefined;
    }
    const anchor = signed?.lastId === head.lastId ? signed : makeAnchor(sealer, head, now);
    if (anchor !== signed) {
      await insertAnchor(queries, anchor);
      await thinAnchors(queries, new Date(now.getTime() - KEEP_ALL_MS));
    }
    await outside.write(anchor);
    return anchor;
  }

  async function run(): Promise<void> {
    const now = clock.now();
    const anchor = await sign(now);
    await (anchor === undefined ? undefined : publishWhenDue(anchor, now));
  }

  return {
    run,
    /** For a start, which does not wait for what is elsewhere. */
    sign: async () => void (await sign()),
    check: {
      name: "audit",
      check: async () => {
        if (found !== undefined) {
          throw new Error(found);
        }
      },
    },
    ...repeat({ log, tasks: [{ name: "signing the audit", everyMs: SIGN_EVERY_MS, run }] }),
  };
}
