import { randomUUID } from "node:crypto";
import type { Sealer } from "#keys/sealed-values.ts";
import { putState } from "#oauth/state.store.ts";
import { insertAttempt } from "#sso/attempt.store.ts";
import { saveProvider } from "#sso/configuration.store.ts";
import type { IdentityFixture } from "./identity-fixture.ts";

/** One of each kind, besides second factors, signing keys and the audit's signed end. */
export async function addOtherSealedValues(subject: IdentityFixture, ring: Sealer, userId: string): Promise<void> {
  const queries = subject.database.query;
  const id = randomUUID();
  const link = ring.seal(Buffer.from("https://link"), { purpose: "notices.sealed_link", subject: id });
  const at = subject.clock.now();
  await queries
    .insertInto("identity.notices")
    .values({ id, user_id: userId, kind: "invitation", at, sealed_link: link, shown: false })
    .execute();
  const payload = ring.seal(Buffer.from("{}"), { purpose: "oauth_states.payload", subject: "state" });
  await putState(queries, { id: "state", kind: "Interaction", grantId: undefined, payload }, at);
  await addSignIn(subject, ring, id);
}

/** A tenant's company sign-in, with a sign-in under way. */
async function addSignIn({ database, identity, clock }: IdentityFixture, ring: Sealer, id: string): Promise<void> {
  const at = clock.now();
  const { id: tenantId } = await identity.ensureTenant("many");
  const sealedSecret = ring.seal(Buffer.from("client-secret"), { purpose: "sso_providers.client_secret", subject: id });
  const settings = {
    name: "Acme ID",
    issuer: "https://login.acme.example",
    client_id: "sightline",
    scopes: [],
    domains: [],
    role_claim: null,
    admin_values: [],
    member_values: [],
    default_role: null,
    creates_accounts: false,
    enforced: false,
    asks_second_factor: false,
    vouches_for_addresses: false,
    break_glass: [],
  };
  await database.query.transaction().execute(async (transaction) => {
    await saveProvider(transaction, { ...settings, id, tenantId, sealedSecret }, at);
  });
  await insertAttempt(database.query, {
    id: "attempt",
    browser_hash: Buffer.from("hash"),
    provider_id: id,
    revision: 1,
    payload: ring.seal(Buffer.from("{}"), { purpose: "sso_attempts.payload", subject: "attempt" }),
    expires_at: at,
  });
}
