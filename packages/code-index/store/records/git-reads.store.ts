import { randomUUID } from "node:crypto";
import { refusal } from "@sightline/foundation/errors";
import { sql } from "kysely";
import { withinTenant, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";

type OfFile = { readonly path: string; readonly start?: number | undefined; readonly end?: number | undefined };

/** A question about the commits of a repository; revisions are what people call commits, `ref` is the branch that is asked about, `head` its indexed commit. */
export type GitQuestion = { readonly ref: string; readonly head: string } & (
  | { readonly kind: "commit"; readonly revision: string; readonly path?: string | undefined }
  | { readonly kind: "compare"; readonly base: string; readonly revision: string; readonly path?: string | undefined }
  | ({ readonly kind: "file" | "blame"; readonly revision: string } & OfFile)
  | ({ readonly kind: "lines"; readonly revision: string; readonly before: number; readonly limit: number } & OfFile)
  | {
      readonly kind: "pickaxe";
      readonly revision: string;
      readonly text: string;
      readonly path?: string | undefined;
      readonly author?: string | undefined;
      readonly since?: string | undefined;
      readonly until?: string | undefined;
      readonly before: number;
      readonly limit: number;
    }
);

export type GitAnswer =
  | { readonly found: unknown }
  | { readonly refused: { readonly status: number; readonly code: string; readonly message: string } };

/** Questions of a tenant that wait or are being answered. */
const MAX_OPEN = 20;
/** And those that are being answered at once, so that one tenant's do not keep another's waiting. */
const MAX_RUNNING = 3;
/** Nobody waits for longer. */
const FORGOTTEN = sql`interval '1 minute'`;
/** An indexer without a mirror of the repository leaves it so long to those that have one. */
const ELSEWHERE = sql`interval '300 milliseconds'`;

type Asked = { readonly tenant: Tenant; readonly repoId: string; readonly question: GitQuestion };

/** Puts a question. @throws {AppError} `too_busy` (503). */
export async function askGitRead(database: CodeIndexDatabase, { tenant, repoId, question }: Asked): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into codeindex.git_reads (id, tenant_id, repo_id, question)
    select ${randomUUID()}, tenant_id, id, ${JSON.stringify(question)}::json from codeindex.repositories
    where id = ${repoId} and tenant_id = ${tenant.tenantId} and deleting_at is null and ${MAX_OPEN} > (
      select count(*) from codeindex.git_reads as open
      where open.tenant_id = ${tenant.tenantId} and not open.answered and open.asked_at > now() - ${FORGOTTEN}
    )
    returning id
  `.execute(database.query);
  const [asked] = rows;
  if (asked === undefined) {
    throw refusal(503, "too_busy", "Too many questions about commits are open; ask again when fewer are.", {
      headers: { "retry-after": "2" },
    });
  }
  return asked.id;
}

/** How far a question is. */
export async function gitReadState(database: CodeIndexDatabase, tenant: Tenant, id: string): Promise<"waits" | "claimed" | "answered"> {
  const { rows } = await sql<{ state: "waits" | "claimed" | "answered" }>`
    select case when answered then 'answered' when claimed_at is null then 'waits' else 'claimed' end as state
    from codeindex.git_reads where id = ${id} and tenant_id = ${tenant.tenantId}
  `.execute(database.query);
  return rows[0]?.state ?? "waits";
}

/** Takes the answer, if it is there, and forgets the question. */
export async function takeGitAnswer(database: CodeIndexDatabase, tenant: Tenant, id: string): Promise<GitAnswer | undefined> {
  await sql`delete from codeindex.git_reads where id = ${id} and tenant_id = ${tenant.tenantId}`.execute(database.query);
  return withinTenant(database, tenant, {}, async (transaction) => {
    const { rows } = await sql<{ answer: GitAnswer }>`
      delete from ${sql.id(tenant.schema, "git_answers")} where id = ${id} returning answer
    `.execute(transaction);
    return rows[0]?.answer;
  });
}

export type ClaimedGitRead = {
  readonly id: string;
  readonly tenantId: string;
  readonly repoId: string;
  readonly repo: string;
  readonly cloneUrl: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly question: GitQuestion;
};

/** Takes the question that waits longest, of a repository whose mirror is here, or that nobody took who has one; `undefined` when there is none. */
export async function claimGitRead(
  database: CodeIndexDatabase,
  { mirrors }: { readonly mirrors: readonly string[] },
): Promise<ClaimedGitRead | undefined> {
  const { rows } = await sql<ClaimedGitRead>`
    update codeindex.git_reads as read set claimed_at = now()
    from codeindex.repositories as repository
    where repository.id = read.repo_id and read.id = (
      select due.id from codeindex.git_reads as due
      join codeindex.repositories as owner on owner.id = due.repo_id
      where due.claimed_at is null and owner.deleting_at is null and due.asked_at > now() - ${FORGOTTEN}
        and (due.repo_id::text = any(${mirrors}::text[]) or due.asked_at < now() - ${ELSEWHERE})
        and ${MAX_RUNNING} > (
          select count(*) from codeindex.git_reads as running
          where running.tenant_id = due.tenant_id and running.claimed_at is not null and not running.answered
            and running.asked_at > now() - ${FORGOTTEN}
        )
      order by due.asked_at
      limit 1
      for update of due skip locked
    )
    returning read.id, read.tenant_id as "tenantId", read.repo_id as "repoId", repository.full_name as repo,
      repository.clone_url as "cloneUrl", repository.include, repository.exclude, read.question
  `.execute(database.query);
  return rows[0];
}

type Answered = { readonly tenant: Tenant; readonly id: string; readonly answer: GitAnswer };

/** Gives an answer to whoever waits, and removes those that nobody took. */
export async function answerGitRead(database: CodeIndexDatabase, { tenant, id, answer }: Answered): Promise<void> {
  await withinTenant(database, tenant, {}, async (transaction) => {
    const answers = sql.id(tenant.schema, "git_answers");
    await sql`delete from ${answers} where answered_at < now() - ${FORGOTTEN}`.execute(transaction);
    await sql`insert into ${answers} (id, answer) values (${id}, ${JSON.stringify(answer)}::json)`.execute(transaction);
  });
  await sql`delete from codeindex.git_reads where asked_at < now() - ${FORGOTTEN}`.execute(database.query);
  await sql`update codeindex.git_reads set answered = true where id = ${id}`.execute(database.query);
}
