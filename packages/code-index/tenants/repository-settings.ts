import { refusal } from "@sightline/foundation/errors";
import type { Transaction } from "kysely";
import { v7 as newId } from "uuid";
import type { CodeIndexTables, JobMode } from "#schema.ts";
import { checkCloneUrl, chooseCloneUrl } from "#git/clone-url.ts";
import { enqueueJob } from "#store/records/jobs.store.ts";
import { removeRefs } from "#store/records/deletions.store.ts";
import {
  hasCredential,
  lockRepository,
  registerRepository as insertRepository,
  refreshHistories,
  updateRepository,
  type LockedRepository,
  type RepositorySettings,
} from "#store/records/repositories.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

type Context = { readonly database: CodeIndexDatabase; readonly allowFileUrls: boolean; readonly now: Date };

type Given = {
  readonly branches?: readonly string[] | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly credential_id?: string | null | undefined;
  readonly clone_url?: string | undefined;
  /** Null takes it away. */
  readonly webhook_secret?: string | null | undefined;
};

/** Seals a repository's webhook secret, for its id. @throws {AppError} where nothing can be sealed. */
type SealSecret = (sealing: { readonly repoId: string; readonly secret: string }) => string;

type Registering = {
  readonly tenantId: string;
  readonly given: Given & { readonly full_name: string; readonly index: boolean };
  readonly seal: SealSecret;
};

/**
 * Registers a repository and asks for its first index, unless that is to wait.
 *
 * @returns its id.
 * @throws {AppError} `repository_exists` (409), `invalid_clone_url`, `credential_unknown` (400).
 */
export async function registerRepository(
  { database, allowFileUrls, now }: Context,
  { tenantId, given, seal }: Registering,
): Promise<string> {
  const { full_name: fullName, index } = given;
  const repoId = newId();
  const cloneUrl = chooseCloneUrl({ fullName, cloneUrl: given.clone_url, allowFileUrls });
  const settings = settingsOf(given, (secret) => seal({ repoId, secret }));
  await database.query.transaction().execute(async (transaction) => {
    await requireCredential(transaction, tenantId, given.credential_id);
    await insertRepository({ ...database, query: transaction }, { ...settings, id: repoId, tenantId, fullName, cloneUrl });
    for (const ref of index ? [undefined, ...(given.branches ?? [])] : []) {
      await enqueueJob({ ...database, query: transaction }, { tenantId, repoId, ref, mode: "full", trigger: "registration", now });
    }
  });
  return repoId;
}

type Changing = { readonly tenantId: string; readonly repoId: string; readonly given: Given; readonly seal: SealSecret };

/**
 * Changes a repository's settings. When another set of files or branches is to be indexed, jobs see to it; a branch taken
 * away is not searched from that moment. A repository that the tenant does not have, or is deleting, is left alone.
 *
 * @throws {AppError} `invalid_clone_url`, `credential_unknown` (400).
 */
export async function changeRepository({ database, allowFileUrls, now }: Context, changing: Changing): Promise<void> {
  const { tenantId, repoId, given, seal } = changing;
  await database.query.transaction().execute(async (transaction) => {
    const before = await lockRepository(transaction, { tenantId, repoId });
    if (before === undefined) {
      return;
    }
    await requireCredential(transaction, tenantId, given.credential_id);
    const settings = settingsOf(given, (secret) => seal({ repoId, secret }));
    const cloneUrl = given.clone_url;
    const address = cloneUrl === undefined ? {} : { clone_url: checkCloneUrl(cloneUrl, { allowFileUrls }) };
    await updateRepository(transaction, { tenantId, repoId, ...settings, ...address });
    const after = { ...before, ...settings, ...address };
    const names = before.branches.filter((name) => !after.branches.includes(name) && name !== before.default_branch);
    await removeRefs(transaction, { tenantId, repoId, names, now });
    if (hasOtherRules(before, after)) {
      await refreshHistories(transaction, { tenantId, repoId });
    }
    for (const { ref, mode } of before.wanted ? jobsFor(before, after) : []) {
      await enqueueJob({ ...database, query: transaction }, { tenantId, repoId, ref, mode, trigger: "settings", now });
    }
  });
}

function settingsOf(given: Given, seal: (secret: string) => string): Partial<RepositorySettings> {
  const { branches, include, exclude, credential_id: credentialId, webhook_secret: secret } = given;
  return {
    ...(branches === undefined ? {} : { branches: [...new Set(branches)] }),
    ...(include === undefined ? {} : { include }),
    ...(exclude === undefined ? {} : { exclude }),
    ...(credentialId === undefined ? {} : { credential_id: credentialId }),
    ...(secret === undefined ? {} : { sealed_webhook_secret: secret === null ? null : seal(secret) }),
  };
}

async function requireCredential(
  transaction: Transaction<CodeIndexTables>,
  tenantId: string,
  credentialId: string | null | undefined,
): Promise<void> {
  const isKnown = credentialId === undefined || credentialId === null || (await hasCredential(transaction, { tenantId, credentialId }));
  if (!isKnown) {
    throw refusal(400, "credential_unknown", "There is no credential with this credential_id; GET /api/v1/credentials lists them.");
  }
}

type IndexRequest = { readonly ref: string | undefined; readonly mode: JobMode };

function jobsFor(before: LockedRepository, after: LockedRepository): readonly IndexRequest[] {
  const all = [undefined, ...after.branches];
  // Which paths are indexed is decided for each when it is looked at, so that all of them have to be.
  if (hasOtherRules(before, after)) {
    return all.map((ref) => ({ ref, mode: "full" }));
  }
  const added = after.branches.filter((name) => !before.branches.includes(name));
  const elsewhere = before.clone_url !== after.clone_url || before.credential_id !== after.credential_id;
  return (elsewhere ? all : added).map((ref) => ({ ref, mode: added.some((name) => name === ref) ? "full" : "incremental" }));
}

function hasOtherRules(before: LockedRepository, after: LockedRepository): boolean {
  return !isSame(before.include, after.include) || !isSame(before.exclude, after.exclude);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
