import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import { sql } from "kysely";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

type Mail = { readonly id: string; readonly to: string; readonly at: Date; readonly subject: string; readonly text: string };

export type WatchMailing = {
  readonly send: (mail: Mail, signal: AbortSignal) => Promise<void>;
  /** The address of an account of the tenant that may log in and see the repository. */
  readonly addressOf: (tenantId: string, userId: string, repoId: string) => Promise<string | undefined>;
  /** Of the console. */
  readonly publicUrl: string;
};

type Tools = { readonly database: CodeIndexDatabase; readonly mailing: WatchMailing; readonly log: Logger; readonly clock: Clock };

const MAX_SEND_MS = 20_000;

/** Sends one mail about one push to one person, with no code in it; false when none is due. */
export async function mailNext({ database, mailing, log, clock }: Tools, signal: AbortSignal): Promise<boolean> {
  const now = clock.now();
  const due = await claimDue(database, now);
  const [first] = due;
  if (first === undefined) {
    return false;
  }
  const to = await mailing.addressOf(first.tenantId, first.userId, first.repoId);
  const found = due.map(
    ({ name, matches, note }) => `- ${name}: ${matches} new ${matches === 1 ? "line" : "lines"}${note ? ", not all was looked at" : ""}`,
  );
  const link = `${mailing.publicUrl.replace(/\/$/, "")}/code`;
  const text = [`What you watch was added to ${first.repo}:`, "", ...found, "", `See the lines, or stop these mails: ${link}`].join("\n");
  try {
    // Whoever has left since is told no more.
    if (to !== undefined) {
      const mail = { id: first.id, to, at: now, subject: `New code in ${first.repo}`, text };
      await mailing.send(mail, AbortSignal.any([signal, AbortSignal.timeout(MAX_SEND_MS)]));
    }
    await sql`update codeindex.watch_alerts set mail_at = null where id = any(${due.map(({ id }) => id)}::uuid[])`.execute(database.query);
  } catch (error) {
    log.warn({ err: error, repository: first.repo }, "what a watched search found was not mailed, trying again later");
  }
  return true;
}

/** One process sends, others leave it alone for so long; after a day it is no news any more. */
const CLAIMED = sql`interval '5 minutes'`;
const NEWS = sql`interval '1 day'`;

type Due = Readonly<Record<"id" | "tenantId" | "userId" | "repoId" | "repo" | "name", string>> & {
  readonly matches: number;
  readonly note: string | null;
};

async function claimDue(database: CodeIndexDatabase, now: Date): Promise<readonly Due[]> {
  const { rows } = await sql<Due>`
    with due as (
      select search.tenant_id, search.user_id, alert.repo_id, alert.commit
      from codeindex.watch_alerts as alert
      join codeindex.saved_searches as search on search.id = alert.search_id and search.by_email
      join codeindex.repositories as repository on repository.id = alert.repo_id and repository.deleting_at is null
      where alert.mail_at <= ${now} and alert.found_at > ${now}::timestamptz - ${NEWS}
      order by alert.mail_at limit 1
    )
    update codeindex.watch_alerts as alert set mail_at = ${now}::timestamptz + ${CLAIMED}
    from due, codeindex.saved_searches as search, codeindex.repositories as repository
    where search.id = alert.search_id and search.by_email and repository.id = alert.repo_id and alert.mail_at <= ${now}
      and search.tenant_id = due.tenant_id and search.user_id = due.user_id and alert.repo_id = due.repo_id and alert.commit = due.commit
    returning alert.id, alert.tenant_id as "tenantId", search.user_id as "userId", alert.repo_id as "repoId", repository.full_name as repo, search.name, alert.matches, alert.note
  `.execute(database.query);
  return rows.toSorted((one, other) => one.id.localeCompare(other.id));
}
