import { refusal } from "@sightline/foundation/errors";
import { indexedBranches, repositoriesInScope, type Choice, type RepositoryInScope, type Scope } from "#store/tenancy/read-scope.store.ts";
import { readAs, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";

const NAMED = 20;
const BRANCHES = 1_000;
const READ_MS = 3_000;

/**
 * Says why a repository or branch can't be searched or read, so that whoever asked can do something about it.
 * `found` is the repository asked for, if it is only not indexed.
 *
 * @throws {AppError} `repository_not_found` (404), `ref_not_indexed` or `repository_not_indexed` (409), always.
 */
export async function refuseHiddenRepository(
  database: CodeIndexDatabase,
  scope: Scope,
  found: RepositoryInScope | undefined,
): Promise<never> {
  const { tenant, repositories, filters, ...asked } = scope;
  const repo = asked.repo ?? eitherOf(filters?.repo);
  const ref = asked.ref ?? eitherOf(filters?.ref);
  const known = (
    await readAs(database, tenant, READ_MS, (transaction) => repositoriesInScope(transaction, { tenant, repositories }))
  ).filter((repository) => repository.generation !== null);
  const isKnown = known.some((repository) => repository.repo === (found?.repo ?? repo));
  if (ref !== undefined && (repo === undefined || isKnown)) {
    const branches = await readAs(database, tenant, READ_MS, (transaction) => indexedBranches(transaction, scope, BRANCHES));
    const message = `The branch ${ref.slice(0, 200)} of ${repo ?? "these repositories"} is not indexed; ${leaveOut(nearestFirst(branches, ref))}.`;
    throw refusal(409, "ref_not_indexed", message);
  }
  if (found !== undefined) {
    const reason = found.last_error === null ? "" : ` Its last job failed: ${found.last_error}`;
    const message = `The repository ${found.repo} is registered but not searchable yet; its index is ${found.index_status}.${reason}`;
    throw refusal(409, "repository_not_indexed", message);
  }
  const names = nearestFirst(
    known.map((repository) => repository.repo),
    repo ?? "",
  );
  const message = `The repository ${(repo ?? "").slice(0, 200)} is not indexed here; known: ${listSome(names, NAMED) || "none yet"}.`;
  throw refusal(404, "repository_not_found", message);
}

function eitherOf(choice: Choice | undefined): string | undefined {
  return choice === undefined || choice.anyOf.length === 0 ? undefined : choice.anyOf.join(" or ");
}

function leaveOut(branches: readonly string[]): string {
  const known = branches.length === 0 ? "" : ` (indexed: ${listSome(branches, NAMED)})`;
  return `leave ref out for the default branch${known}`;
}

/** The first `max` names, and how many more there are. */
export function listSome(names: readonly string[], max: number): string {
  const more = names.length > max ? ` and ${names.length - max} more` : "";
  return `${names.slice(0, max).join(", ")}${more}`;
}

/** The names, those first that are spelt most like the one that was asked for; others stay in their order. */
export function nearestFirst(names: readonly string[], asked: string): readonly string[] {
  const wanted = trigramsOf(asked);
  const likeness = new Map(
    names.map((name) => {
      const own = trigramsOf(name);
      const shared = [...wanted].filter((trigram) => own.has(trigram)).length;
      return [name, shared / (wanted.size + own.size - shared)];
    }),
  );
  return names.toSorted((one, other) => (likeness.get(other) ?? 0) - (likeness.get(one) ?? 0));
}

function trigramsOf(name: string): ReadonlySet<string> {
  const text = `  ${name.toLowerCase()} `;
  return new Set(Array.from({ length: text.length - 2 }, (_, at) => text.slice(at, at + 3)));
}
