import { v7 as uuidv7 } from "uuid";
import { keepsEmergencyAdmin } from "#accounts/emergency.store.ts";
import type { AuditEvent } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import { appendAudit } from "#audit/audit.store.ts";
import type { SaveSsoRequest, Sso } from "#contract.ts";
import { refusal } from "#refusals.ts";
import { beginChange, endSessionsOf, tellOthers, type ConfigureDependencies } from "./change-settings.ts";
import { deleteProvider, listBreakGlass, saveBreakGlass, saveProvider } from "./configuration.store.ts";
import { listDomains, saveDomains } from "./domain.store.ts";
import { describeProof } from "./judge-proof.ts";
import { secretContext } from "./provider-clients.ts";
import { findProviderOf, type Provider } from "./provider.store.ts";
import { ssoRedirectUri } from "./start.ts";

export async function describeSso({ queries, publicUrl }: ConfigureDependencies, tenantId: string): Promise<Sso | null> {
  const provider = await findProviderOf(queries, tenantId);
  if (provider === undefined) {
    return null;
  }
  const domains = await listDomains(queries, tenantId);
  return { ...toAnswer(provider, await listBreakGlass(queries, tenantId), publicUrl), domain_proofs: domains.map(describeProof) };
}

/**
 * Makes or changes the provider of the caller's organization. Every other admin is told. Sign-ins that are under way end with it, and so do
 * sessions that it would not open any more.
 *
 * @throws {AppError} 400 `sso_secret_needed`, 403 `second_factor_needed`, 409 `break_glass_unfit` or `break_glass_needed`.
 */
export async function saveSso(dependencies: ConfigureDependencies, caller: Caller, request: SaveSsoRequest): Promise<void> {
  const { queries, sealer, clock } = dependencies;
  const { tenantId } = caller;
  await queries.transaction().execute(async (transaction) => {
    await beginChange(transaction, caller);
    const now = clock.now();
    const before = await findProviderOf(transaction, tenantId);
    const keptBefore = await listBreakGlass(transaction, tenantId);
    const id = before?.id ?? uuidv7();
    const isSameClient = before?.issuer === request.issuer && before.clientId === request.client_id;
    if (request.client_secret === undefined && !isSameClient) {
      throw refusal("sso_secret_needed");
    }
    const sealedSecret =
      request.client_secret === undefined
        ? (before?.sealedSecret ?? "")
        : sealer.seal(Buffer.from(request.client_secret), secretContext(id));
    await saveProvider(transaction, { ...request, id, tenantId, sealedSecret }, now);
    const { added, removed } = await saveDomains(transaction, id, request.domains);
    if (!(await saveBreakGlass(transaction, tenantId, request.break_glass))) {
      throw refusal("break_glass_unfit");
    }
    if (!(await keepsEmergencyAdmin(transaction, tenantId))) {
      throw refusal("break_glass_needed");
    }
    const changes = describeSettingsChanges(request, before, keptBefore);
    const events = [
      ...changes.map((details): AuditEvent => ({ ...ownAction(caller, now), event: "sso_changed", details })),
      ...domainEvents(caller, now, "sso_domain_added", added),
      ...domainEvents(caller, now, "sso_domain_removed", removed),
    ];
    await tellOthers(dependencies, transaction, caller, changes.map(({ changed }) => changed).join(", "));
    if (before !== undefined && !isSameClient) {
      await endSessionsOf(transaction, caller, { kind: "by_sso", reason: "sso_changed", now });
    }
    if (request.enforced) {
      await endSessionsOf(transaction, caller, { kind: "against_sso", reason: "sso_required", now });
    }
    await appendAudit(transaction, ...events);
  });
}

/**
 * Removes it: everybody logs in by password again, and links with people at the provider are forgotten.
 *
 * @throws {AppError} 403 `second_factor_needed`, 404 `sso_not_configured`.
 */
export async function removeSso(dependencies: ConfigureDependencies, caller: Caller): Promise<void> {
  const { queries, clock } = dependencies;
  await queries.transaction().execute(async (transaction) => {
    await beginChange(transaction, caller);
    const now = clock.now();
    const before = await findProviderOf(transaction, caller.tenantId);
    if (before === undefined) {
      throw refusal("sso_not_configured");
    }
    await deleteProvider(transaction, caller.tenantId);
    await tellOthers(dependencies, transaction, caller, "removed");
    await endSessionsOf(transaction, caller, { kind: "by_sso", reason: "sso_removed", now });
    await appendAudit(
      transaction,
      { ...ownAction(caller, now), event: "sso_removed", details: { issuer: before.issuer } },
      ...domainEvents(caller, now, "sso_domain_removed", before.domains),
    );
  });
}

function domainEvents(
  caller: Caller,
  now: Date,
  event: "sso_domain_added" | "sso_domain_removed",
  domains: readonly string[],
): readonly AuditEvent[] {
  return domains.map((domain) => ({ ...ownAction(caller, now), event, details: { domain } }));
}

type Settings = Readonly<Record<string, string | boolean | null | readonly string[]>>;

/** Names the settings that differ, for the audit: the secret is never told. */
function describeSettingsChanges(request: SaveSsoRequest, before: Provider | undefined, keptBefore: readonly string[]) {
  const { client_secret: secret, ...asked } = request;
  const old: Settings = before === undefined ? {} : readSettings(before, keptBefore);
  const changes = Object.entries<Settings[string]>(asked).flatMap(([name, value]) => {
    const [from, to] = [inWords(old[name]), inWords(value)];
    return from === to ? [] : [{ changed: name, from, to }];
  });
  return secret === undefined
    ? changes
    : [...changes, { changed: "client_secret", from: before === undefined ? "none" : "another", to: "new" }];
}

const MAX_WORDS = 500;

function inWords(value: Settings[string] | undefined): string {
  const text = typeof value === "object" && value !== null ? [...new Set(value)].toSorted(byCharacter).join(", ") : String(value ?? "none");
  return (text === "" ? "none" : text).slice(0, MAX_WORDS);
}

function byCharacter(one: string, other: string): number {
  return one < other ? -1 : 1;
}

function readSettings(provider: Provider, breakGlass: readonly string[]) {
  return {
    name: provider.name,
    issuer: provider.issuer,
    client_id: provider.clientId,
    scopes: provider.scopes,
    domains: provider.domains,
    role_claim: provider.roleClaim,
    admin_values: provider.adminValues,
    member_values: provider.memberValues,
    default_role: provider.defaultRole,
    creates_accounts: provider.createsAccounts,
    enforced: provider.enforced,
    asks_second_factor: provider.asksSecondFactor,
    vouches_for_addresses: provider.vouchesForAddresses,
    break_glass: [...breakGlass],
  };
}

function toAnswer(provider: Provider, breakGlass: readonly string[], publicUrl: string): Omit<Sso, "domain_proofs"> {
  return {
    ...readSettings(provider, breakGlass),
    id: provider.id,
    redirect_uri: ssoRedirectUri(publicUrl),
    updated_at: provider.updatedAt.toISOString(),
    last_login_at: provider.lastLoginAt?.toISOString() ?? null,
  };
}
