import { refusal } from "#refusals.ts";
import type { Transaction } from "#schema.ts";
import { keepsEmergencyAdmin } from "./emergency.store.ts";

/**
 * Guards what takes a way in from an account, where the organization demands company sign-in: somebody has to get in without it.
 *
 * @throws {AppError} 409 `last_break_glass`.
 */
export async function keepingEmergencyAdmin<Result>(
  transaction: Transaction,
  tenantId: string,
  change: () => Promise<Result>,
): Promise<Result> {
  const before = await keepsEmergencyAdmin(transaction, tenantId);
  const result = await change();
  if (before && !(await keepsEmergencyAdmin(transaction, tenantId))) {
    throw refusal("last_break_glass");
  }
  return result;
}

/**
 * Guards a change after which the account itself counts no more.
 *
 * @throws {AppError} 409 `last_break_glass`.
 */
export async function refuseLosingEmergencyAdmin(
  transaction: Transaction,
  { id, tenantId }: { readonly id: string; readonly tenantId: string },
): Promise<void> {
  if ((await keepsEmergencyAdmin(transaction, tenantId)) && !(await keepsEmergencyAdmin(transaction, tenantId, id))) {
    throw refusal("last_break_glass");
  }
}
