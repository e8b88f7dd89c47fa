import type { Logger } from "@sightline/foundation/log";
import { inRounds, repeat, type WakenBy } from "@sightline/foundation/repeat";
import { sql } from "kysely";
import type { Accounts } from "#accounts.ts";
import type { CommentSubject } from "#contract.ts";
import type { FindStanding } from "#query/access/authenticators.ts";
import { toUserReader } from "#query/access/request-reader.ts";
import type { Query } from "#schema.ts";
import { findRole } from "#store/reader.ts";

type Options = {
  readonly query: Query;
  readonly log: Logger;
  /** Left out where the accounts are another identity provider's: nobody can be told there. */
  readonly accounts?: Accounts | undefined;
  readonly findStanding?: FindStanding | undefined;
  readonly wakenBy?: WakenBy;
};

const [EVERY_MS, REST_MS] = [2_000, 60_000];
/** Until another replica takes over what one has begun to tell. */
const CLAIMED = sql`interval '1 minute'`;

type Mention = { readonly id: string; readonly project_id: string; readonly comment_id: string; readonly user_id: string };
type Told = CommentSubject & { readonly author: string; readonly project: string; readonly created_at: Date };

/**
 * Tells people who were mentioned, by any number of replicas. A notice has the mention's id, so that one that was told and not yet deleted, as
 * when its process was killed, is told no second time.
 */
export function createMentionTasks({ query, log, accounts, findStanding, wakenBy = () => undefined }: Options) {
  async function tellNext(): Promise<boolean> {
    const mention = await claimMention(query);
    if (mention === undefined) {
      return false;
    }
    const { id, project_id: projectId, user_id: userId } = mention;
    const told = await findTold(query, mention);
    const standing = told && (await findStanding?.(userId));
    // Asked now: whoever was taken out of the project since is told nothing.
    const mayRead = standing && (await findRole(query, { id: projectId, reader: toUserReader({ ...standing, userId }) })) !== undefined;
    if (told !== undefined && mayRead === true) {
      const path = `/projects/${projectId}/${pageOf(told)}`;
      await accounts?.tellMention({ id, userId, by: told.author, at: told.created_at, project: told.project, path });
    }
    await sql`delete from observability.comment_mentions where id = ${id}::uuid`.execute(query);
    return true;
  }

  const tellDue = (stopping = new AbortController().signal) => inRounds(tellNext, stopping);
  const task = { name: "telling people who were mentioned", everyMs: EVERY_MS, restMs: REST_MS, wakenBy, run: tellDue };
  return { tellDue, ...repeat({ log, tasks: [task] }) };
}

async function claimMention(query: Query): Promise<Mention | undefined> {
  const { rows } = await sql<Mention>`
    update observability.comment_mentions set next_try_at = now() + ${CLAIMED} where id = (
      select id from observability.comment_mentions where next_try_at <= now() order by next_try_at limit 1 for update skip locked
    ) returning id, project_id, comment_id, user_id`.execute(query);
  return rows[0];
}

/** Undefined once the comment is deleted. */
async function findTold(query: Query, { project_id: projectId, comment_id: id }: Mention): Promise<Told | undefined> {
  const { rows } = await sql<Told>`
    select comment.subject, comment.within_id, comment.subject_id, comment.author, comment.created_at, project.name as project
    from observability.comments as comment join observability.projects as project on project.id = comment.project_id
    where comment.project_id = ${projectId}::uuid and comment.id = ${id}::uuid`.execute(query);
  return rows[0];
}

/** The page of the console that shows the comment, below its project. */
function pageOf({ subject, within_id: within, subject_id: id }: CommentSubject): string {
  const folder = { item: "datasets", run: "experiments", trace: "traces", step: "traces", score: "traces" }[subject];
  return `${folder}/${within}${subject === "step" ? `?observation=${id}` : ""}`;
}
