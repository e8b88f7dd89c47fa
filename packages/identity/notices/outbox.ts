import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import { repeat } from "@sightline/foundation/repeat";
import { SealError, type Sealer } from "#keys/sealed-values.ts";
import type { Queries } from "#schema.ts";
import { MailError, type Mailer } from "./mailer.ts";
import { claimDueNotice, markFailed, markSent, type ClaimedNotice } from "./notice.store.ts";
import { isNoticeKind, isTooLate, noticeMail } from "./notice-texts.ts";
import { LINK_PURPOSE } from "./notices.ts";

export type Outbox = ReturnType<typeof createOutbox>;

type Dependencies = {
  readonly queries: Queries;
  readonly sealer: Sealer;
  readonly mailer: Mailer;
  readonly publicUrl: string;
  readonly log: Logger;
  readonly clock: Clock;
};

const POLL_MS = 3_000;
const STOP_MS = 3_000;
/** Longer than the mailer tries. */
const LEASE_MS = 5 * 60_000;
const FIRST_RETRY_MS = 30_000;
const LAST_RETRY_MS = 4 * 3600_000;
/** The last one half a day after the first. */
const MAX_TRIES = 12;

/**
 * Mails notices, of which any number of replicas each take the next. At least once: a process that is killed between the
 * server's acceptance and its own note of it has the mail sent again, under the same Message-ID, when its lease is over.
 */
export function createOutbox(dependencies: Dependencies) {
  const { queries, log, clock } = dependencies;
  /** No other mail is begun; the one at hand has a moment until it is cut off. */
  const stopping = new AbortController();
  const cutOff = new AbortController();

  /** Sends what is due; ends early when the mail server can not be used. */
  async function sendDue(): Promise<void> {
    while (!stopping.signal.aborted) {
      const now = clock.now();
      const notice = await claimDueNotice(queries, { now, leaseEnd: new Date(now.getTime() + LEASE_MS) });
      if (notice === undefined || !(await deliver(dependencies, notice, cutOff.signal))) {
        return;
      }
    }
  }

  const repeated = repeat({ log, tasks: [{ name: "sending notices", everyMs: POLL_MS, run: sendDue }] });
  return {
    sendDue,
    start: repeated.start,
    /** Lets the mail at hand go out, for a moment. */
    stop: async () => {
      stopping.abort();
      const patience = setTimeout(() => cutOff.abort(), STOP_MS);
      await repeated.stop();
      clearTimeout(patience);
    },
  };
}

/** @returns whether the next one may be tried. */
async function deliver(
  { queries, sealer, mailer, publicUrl, log, clock }: Dependencies,
  notice: ClaimedNotice,
  signal: AbortSignal,
): Promise<boolean> {
  const { id, kind, tries } = notice;
  try {
    await mailer.send({ id, to: notice.email, at: notice.at, ...compose(notice, { sealer, publicUrl, now: clock.now() }) }, signal);
    await markSent(queries, id, clock.now());
    return true;
  } catch (error) {
    if (!(error instanceof MailError)) {
      throw error;
    }
    const isOver = error.permanent || tries >= MAX_TRIES;
    const retryAt = isOver ? undefined : new Date(clock.now().getTime() + retryAfter(tries));
    await markFailed(queries, notice, { reason: error.message, retryAt });
    log.warn(
      { notice: id, kind, tries, reason: error.message, retryAt },
      isOver ? "a mail could not be sent; giving up" : "a mail was not sent",
    );
    return !error.ofServer;
  }
}

/** @throws {MailError} when there is nothing to send, now or ever. */
function compose(
  { id, kind, at, details, sealedLink }: ClaimedNotice,
  { sealer, publicUrl, now }: { readonly sealer: Sealer; readonly publicUrl: string; readonly now: Date },
) {
  if (!isNoticeKind(kind)) {
    throw new MailError("a kind of notice that this version does not know", { permanent: false, ofServer: false });
  }
  if (isTooLate(kind, at, now)) {
    throw new MailError("the link was over before the mail could be sent", { permanent: true, ofServer: false });
  }
  return noticeMail({ kind, at, details, link: sealedLink === null ? undefined : openLink(sealer, sealedLink, id), publicUrl });
}

function openLink(sealer: Sealer, sealedLink: string, id: string): string {
  try {
    return sealer.open(sealedLink, { purpose: LINK_PURPOSE, subject: id }).toString();
  } catch (error) {
    if (error instanceof SealError) {
      throw new MailError(error.message, { permanent: false, ofServer: false });
    }
    throw error;
  }
}

function retryAfter(tries: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), LAST_RETRY_MS);
}
