import { ask, createAdmin, giveSecondFactor, type Person } from "./administration.ts";
import type { CompanyProvider } from "./company-provider.ts";
import type { IdentityFixture } from "./identity-fixture.ts";

/** What an admin saves who wants nothing special. */
export function settingsFor({ issuer, clients }: CompanyProvider, changes: Readonly<Record<string, unknown>> = {}) {
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

/** @returns the provider's id. */
export async function saveSso({ server }: IdentityFixture, admin: Person, settings: object): Promise<string> {
  const saved = await ask(server, admin, "PUT", "/admin/sso", settings);
  if (saved.statusCode !== 200) {
    throw new Error(`company sign-in was not saved: ${saved.body}`);
  }
  return saved.json<{ sso: { id: string } }>().sso.id;
}
