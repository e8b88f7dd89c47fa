import { type AppError, refusal } from "@sightline/foundation/errors";
import { z } from "zod";
import type { Job, Repository } from "#contract.ts";
import { listJobs, type JobRow } from "#store/records/jobs.store.ts";
import { listSome, nearestFirst } from "#retrieval/scope/repository-errors.ts";
import { listRepositories, type RepositoryRow } from "#store/records/read-repositories.store.ts";
import { fitItems, shortReasons } from "#mcp/kit/fit.ts";
import { defineTool, whereFields } from "#mcp/kit/tool.ts";
import { presentJob, presentRepository } from "#http/kit/presenters.ts";

export const indexStatusTool = defineTool({
  name: "index_status",
  title: "State of the index",
  description: `Say how new and how whole the index is: indexed commit, pushes not searchable yet, what each search leg can find, running jobs and errors.
Ask it when something you expect is not found.`,
  inputSchema: z.strictObject({ repo: whereFields.repo }),
  answer: async ({ repo }, { database, access, maxTokens }) => {
    const rows = await listRepositories(database, { ...access, limit: REPOSITORIES });
    const wanted = repo === undefined ? rows : rows.filter((row) => row.full_name.toLowerCase() === repo.toLowerCase());
    if (repo !== undefined && wanted.length === 0) {
      throw unknownRepository(repo, rows);
    }
    const { tenant, repositories } = access;
    const jobs = await listJobs(database, { tenantId: tenant.tenantId, repositories, status: "running", limit: REPOSITORIES });
    return answerIndexStatus(wanted, jobs, maxTokens);
  },
});

const REPOSITORIES = 10_000;
const OVERHEAD_TOKENS = 150;
const NAMED = 20;
/** Characters of an error or a reason, as long as providers' messages may be. */
const REASON = 300;

function unknownRepository(repo: string, rows: readonly RepositoryRow[]): AppError {
  const known = nearestFirst(
    rows.map((row) => row.full_name),
    repo,
  );
  const message = `The repository ${repo.slice(0, 200)} is not registered here; known: ${listSome(known, NAMED) || "none yet"}.`;
  return refusal(404, "repository_not_found", message);
}

function answerIndexStatus(rows: readonly RepositoryRow[], jobs: readonly JobRow[], maxTokens: number): string {
  const running = new Map(jobs.map((job) => [job.repo_id, job]));
  const all = rows.map((row) => presentStatus(row, running.get(row.id))).toSorted((one, other) => urgencyOf(other) - urgencyOf(one));
  const shown = fitItems(all, { maxTokens: maxTokens - OVERHEAD_TOKENS, render: renderStatus });
  const counts = Object.fromEntries([...Map.groupBy(all, ({ status }) => status)].map(([status, { length }]) => [status, length]));
  const cut = all.length - shown.length;
  const notes = [
    ...(cut === 0 ? [] : [`Cut to max_tokens: ${cut} more; name a repo, or ask with a larger max_tokens.`]),
    ...(all.length === 0 ? ["No repository is registered yet."] : []),
  ];
  const summary = Object.entries(counts).map(([status, count]) => `${count} ${status}`);
  return [`Repositories: ${summary.join(", ") || "none"}`, ...shown.map(renderStatus), ...notes].join("\n");
}

type Status = Pick<Repository, "legs" | "last_error" | "refs"> & {
  readonly repo: string;
  readonly status: Repository["index_status"];
  /** What is being done about it now. */
  readonly job: Pick<Job, "progress"> | null;
};

function presentStatus(row: RepositoryRow, job: JobRow | undefined): Status {
  const { full_name: repo, index_status: status, refs, legs, last_error: error } = presentRepository(row);
  return {
    repo,
    status,
    refs,
    legs: shortReasons(legs, REASON),
    last_error: error?.slice(0, REASON) ?? null,
    job: job === undefined ? null : presentJob(job),
  };
}

function urgencyOf({ status, refs, last_error: error, legs }: Status): number {
  const isBehind = refs.some(({ behind }) => behind > 0);
  return (status === "ready" ? 0 : 4) + (error === null ? 0 : 2) + (isBehind || legs.semantic.state !== "ready" ? 1 : 0);
}

function renderStatus({ repo, status, refs, legs, last_error: error, job }: Status): string {
  const missing = Object.entries(legs).filter(([, { state }]) => state !== "ready");
  return [
    `${repo}: ${status}${job === null ? "" : `, a job is at ${job.progress.phase} ${job.progress.done} of ${job.progress.total}`}`,
    ...refs.map(({ name, indexed_commit: commit, indexed_at: at, behind, files }) =>
      commit === null
        ? `  ${name}: not searchable yet`
        : `  ${name}@${commit} indexed ${at ?? "?"}, ${files} files${behind > 0 ? `, ${behind} pushes behind` : ""}`,
    ),
    ...missing.map(([leg, { state, reason }]) => `  the ${leg} leg is ${state}: ${reason ?? ""}`),
    ...(error === null ? [] : [`  last error: ${error}`]),
  ].join("\n");
}
