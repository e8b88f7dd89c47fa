import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import { repeat, type Repeated } from "@sightline/foundation/repeat";
import { sql } from "kysely";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { mailNext, type WatchMailing } from "./mail-alerts.ts";

/** What is known of those who save searches, where the accounts are this installation's. */
export type WatchPeople = {
  /** Those of the ids whose accounts were deleted. */
  readonly findGone: (userIds: readonly string[]) => Promise<readonly string[]>;
  /** Undefined where the operator has no mail server. */
  readonly mailing: WatchMailing | undefined;
};

type Tools = { readonly database: CodeIndexDatabase; readonly people: WatchPeople; readonly log: Logger; readonly clock: Clock };

const [MAIL_MS, MAIL_REST_MS, GONE_MS] = [15_000, 60_000, 3_600_000];

/** Mails people what their watched searches found, where they asked for it, and forgets those who are gone; in any number of processes. */
export function createPeopleTasks({ people, ...tools }: Tools): Repeated {
  const { mailing } = people;
  const forgetting = { name: "forgetting people who are gone", everyMs: GONE_MS, run: () => forgetGone({ ...tools, people }) };
  const mails = mailing && {
    name: "mailing finds",
    everyMs: MAIL_MS,
    restMs: MAIL_REST_MS,
    run: (signal: AbortSignal) => mailNext({ ...tools, mailing }, signal),
  };
  return repeat({ log: tools.log, tasks: mails === undefined ? [forgetting] : [forgetting, mails] });
}

/** Deletes the searches of people whose accounts were deleted, with what was found for them. */
export async function forgetGone({ database, people, clock }: Pick<Tools, "database" | "people" | "clock">): Promise<void> {
  const { rows } = await sql<{ user_id: string }>`select distinct user_id from codeindex.saved_searches`.execute(database.query);
  const gone = await people.findGone(rows.map((row) => row.user_id));
  await sql`
    with deleted as (delete from codeindex.saved_searches where user_id = any(${gone}::text[]) returning tenant_id)
    update codeindex.tenants set sweep_at = ${clock.now()} where tenant_id in (select tenant_id from deleted)
  `.execute(database.query);
}
