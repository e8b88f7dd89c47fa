import type { z } from "zod";
import { jobSchema, type Job, type Ref, type Repository } from "#contract.ts";
import type { JobRow } from "#store/records/jobs.store.ts";
import type { RefRow, RepositoryRow } from "#store/records/read-repositories.store.ts";

/** What a column may hold for a field of an answer. */
type ColumnOf<Field> = Field extends string ? string | Date : Field extends readonly (infer Item)[] ? readonly Item[] : Field;

/** The fields that an answer has, out of a row that may have more; moments as text. */
export function presentRow<Answer>(schema: z.ZodType<Answer>, row: { readonly [Name in keyof Answer]: ColumnOf<Answer[Name]> }): Answer {
  const fields = Object.entries<unknown>(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]);
  return schema.parse(Object.fromEntries(fields));
}

export function presentRepository(row: RepositoryRow): Repository {
  const main = row.refs.find((ref) => ref.is_default);
  return {
    id: row.id,
    full_name: row.full_name,
    clone_url: row.clone_url,
    default_branch: row.default_branch,
    index_status: row.index_status,
    indexed_commit: main?.indexed_commit ?? null,
    indexed_at: timeOf(main?.indexed_at ?? null),
    behind: main?.behind ?? 0,
    files: main?.files ?? 0,
    chunks: main?.chunks ?? 0,
    refs: row.refs.map(presentRef),
    legs: legsOf(main),
    branches: [...row.branches],
    include: [...row.include],
    exclude: [...row.exclude],
    credential_id: row.credential_id,
    has_webhook_secret: row.sealed_webhook_secret !== null,
    last_error: row.last_error,
    created_at: row.created_at.toISOString(),
  };
}

export function presentRef({ name, is_default, indexed_commit, indexed_at, files, chunks, behind }: RefRow): Ref {
  return { name, is_default, indexed_commit, indexed_at: timeOf(indexed_at), files, chunks, behind };
}

/** BM25 and exact find a build from the moment it is switched to; vectors may come later. */
function legsOf(main: RefRow | undefined): Repository["legs"] {
  if (main === undefined || main.generation === null) {
    const pending = { state: "pending", reason: "not indexed yet" } as const;
    return { semantic: pending, bm25: pending, exact: pending };
  }
  const { vectors_pending: pending, vectors_error: error } = main;
  const ready = { state: "ready" } as const;
  if (pending === 0) {
    return { semantic: ready, bm25: ready, exact: ready };
  }
  const waiting = `${pending} of ${main.chunks} chunks have no vector yet`;
  return { semantic: { state: "pending", reason: error === null ? waiting : `${waiting}: ${error}` }, bm25: ready, exact: ready };
}

function timeOf(json: string | null): string | null {
  return json === null ? null : new Date(json).toISOString();
}

export function presentJob(row: JobRow): Job {
  return presentRow(jobSchema, { ...row, progress: { rate: null, ...row.progress } });
}
