import type { Transaction } from "kysely";
import type { IdentitySchema } from "#schema.ts";

type NewNoticeRow = Pick<IdentitySchema["identity.notices"], "id" | "user_id" | "kind" | "at" | "sealed_link" | "shown" | "send_after"> & {
  readonly details: Readonly<Record<string, string>>;
};

export async function insertNotice(transaction: Transaction<IdentitySchema>, row: NewNoticeRow): Promise<void> {
  await transaction.insertInto("identity.notices").values(row).execute();
}
