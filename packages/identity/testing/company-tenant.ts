import type { DomainProof, Sso } from "#contract.ts";
import { ask, createAdmin, giveSecondFactor, type Person } from "./administration.ts";
import type { CompanyProvider } from "./company-provider.ts";
import type { IdentityFixture } from "./identity-fixture.ts";

/** The settings of an admin who wants nothing special. */
export function settingsFor(
  { issuer, clients }: Pick<CompanyProvider, "issuer" | "clients">,
  changes: Readonly<Record<string, unknown>> = {},
) {
  const [client] = clients;
  return {
    name: "Acme ID",
    issuer,
    client_id: client?.id,
    client_secret: client?.secret,
    scopes: ["email", "profile", "groups"],
    domains: ["acme.example"],
    role_claim: null,
    admin_values: [],
    member_values: [],
    default_role: "member",
    creates_accounts: true,
    enforced: false,
    asks_second_factor: false,
    vouches_for_addresses: false,
    break_glass: [],
    ...changes,
  };
}

/** An admin with a second factor, outside of the company's domain. */
export async function createSsoAdmin(subject: IdentityFixture, email: string, tenantName = "default"): Promise<Person> {
  const admin = await createAdmin(subject, email, tenantName);
  await giveSecondFactor(subject, admin.id);
  return admin;
}

/** Saves them and proves the domains. @returns the provider's id. */
export async function saveSso(subject: IdentityFixture, admin: Person, settings: object): Promise<string> {
  const { id, domain_proofs: proofs } = await listDomains(subject, admin, settings);
  for (const { domain, state, record } of proofs) {
    if (state !== "verified") {
      publish(subject, record);
      const verified = await verify(subject, admin, domain);
      if (verified.statusCode !== 200) {
        throw new Error(`${domain} was not verified: ${verified.body}`);
      }
    }
  }
  return id;
}

/** Saves them, and proves nothing. */
export async function listDomains({ server }: IdentityFixture, admin: Person, settings: object): Promise<Sso> {
  const saved = await ask(server, admin, "PUT", "/admin/sso", settings);
  if (saved.statusCode !== 200) {
    throw new Error(`company sign-in was not saved: ${saved.body}`);
  }
  return saved.json<{ sso: Sso }>().sso;
}

/** Beside what is there already. */
export function publish({ dns }: IdentityFixture, { name, value }: DomainProof["record"]): void {
  dns.records.set(name, [...(dns.records.get(name) ?? []), value]);
}

export function verify({ server }: IdentityFixture, admin: Person, domain: string) {
  return ask(server, admin, "POST", "/admin/sso/domains/verify", { domain });
}
