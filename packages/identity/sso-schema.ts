import type { Generated } from "kysely";

/** Tables of company sign-in. */

export type SsoProviderRow = {
  readonly id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly scopes: string[];
  readonly role_claim: string | null;
  readonly admin_values: string[];
  readonly member_values: string[];
  readonly default_role: "member" | null;
  readonly creates_accounts: boolean;
  readonly enforced: boolean;
  readonly asks_second_factor: boolean;
  readonly vouches_for_addresses: boolean;
  readonly revision: Generated<number>;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly last_login_at: Date | null;
};

export type SsoDomainRow = {
  readonly provider_id: string;
  readonly domain: string;
  readonly token: string;
  readonly verified_at: Date | null;
  readonly missing_since: Date | null;
  readonly checked_at: Date | null;
  readonly check_at: Date | null;
  readonly problem: string | null;
};

export type SsoLinkRow = {
  readonly tenant_id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly user_id: string;
  readonly created_at: Date;
};

export type SsoAttemptRow = {
  readonly id: string;
  readonly browser_hash: Buffer;
  readonly provider_id: string;
  readonly revision: number;
  readonly payload: string;
  readonly expires_at: Date;
};
