import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import { repeat } from "@sightline/foundation/repeat";
import { appendAudit } from "#audit/audit.store.ts";
import type { Notices } from "#notices/notices.ts";
import type { Queries } from "#schema.ts";
import { claimDueDomains, findDomain, lockDomain, type DueDomain } from "./domain.store.ts";
import type { LookUpProof } from "./look-up-proof.ts";
import { noteAnswer } from "./note-answer.ts";

const EVERY_MS = 300_000;
/** When another replica takes over what a killed one had claimed. */
const LEASE_MS = 900_000;
const AT_ONCE = 10;

type Dependencies = {
  readonly queries: Queries;
  readonly notices: Notices;
  readonly lookUpProof: LookUpProof;
  readonly log: Logger;
  readonly clock: Clock;
};

/** Looks the records of domains that count up again, once a day, and every hour while one is gone. What fails for one stops no other. */
export function createDomainChecks({ queries, notices, lookUpProof, log, clock }: Dependencies) {
  async function recheck({ tenantId, domain: name }: DueDomain): Promise<void> {
    const answer = await lookUpProof(name);
    await queries.transaction().execute(async (transaction) => {
      await lockDomain(transaction, name);
      const domain = await findDomain(transaction, tenantId, name);
      if (domain !== undefined && domain.verifiedAt !== null) {
        const { events } = await noteAnswer(transaction, { domain, answer, notices, now: clock.now() });
        await appendAudit(transaction, ...events);
      }
    });
  }

  /** @returns whether more may be due. */
  async function run(): Promise<boolean> {
    const now = clock.now();
    const due = await claimDueDomains(queries, { now, leaseEnd: new Date(now.getTime() + LEASE_MS), limit: AT_ONCE });
    await Promise.all(
      due.map(async (one) =>
        recheck(one).catch((error: unknown) => log.warn({ err: error, ...one }, "the proof of an e-mail domain was not checked")),
      ),
    );
    return due.length === AT_ONCE;
  }

  return { run, ...repeat({ log, tasks: [{ name: "checking proofs of e-mail domains", everyMs: EVERY_MS, run }] }) };
}
