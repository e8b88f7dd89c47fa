/** Tables of groups, and of the company's directory that keeps people and groups (SCIM). */

export type GroupRow = {
  readonly id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly external_id: string | null;
  readonly created_at: Date;
  readonly changed_at: Date;
};

export type GroupMemberRow = { readonly group_id: string; readonly user_id: string };

export type GroupRightRow = {
  readonly tenant_id: string;
  readonly kind: "repository" | "project";
  readonly target: string;
  readonly group_id: string | null;
  readonly level: "read" | "write" | "admin";
};

export type ScimTokenRow = {
  readonly tenant_id: string;
  readonly token_hash: Buffer;
  readonly created_by: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
};

export type ScimPersonRow = {
  readonly user_id: string;
  readonly external_id: string | null;
  readonly given_name: string | null;
  readonly family_name: string | null;
  readonly changed_at: Date;
  readonly removed_at: Date | null;
};
