import { AppError } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { AccountDependencies } from "#accounts/create-account.ts";
import { actOnAccount, type Directory } from "#administration/act-on-account.ts";
import { applyChanges } from "#administration/change-account.ts";
import { refuseLosingAdmin } from "#administration/last-admin.ts";
import { listOtherRoles } from "./groups.store.ts";

export type RoleDependencies = AccountDependencies & { readonly log: Logger };

/**
 * Gives people whom the directory keeps the role that their groups give: called after whatever changes groups, and good at any time, so what
 * a killed process left is done by the next. The last admin, and those who are kept for emergencies, keep theirs.
 */
export async function settleRoles(dependencies: RoleDependencies, directory: Directory, tenantId: string): Promise<void> {
  for (const { id } of await listOtherRoles(dependencies.queries, tenantId)) {
    await actOnAccount(dependencies, directory, { id, tenantId }, async (action) => {
      const found = (await listOtherRoles(action.transaction, tenantId)).find((one) => one.id === id);
      if (found?.role === "member") {
        await refuseLosingAdmin(action, undefined);
      }
      await applyChanges(action, found === undefined ? {} : { role: found.role });
    }).catch((error: unknown) => {
      if (!(error instanceof AppError)) {
        throw error;
      }
      dependencies.log.warn({ account: id, tenant: tenantId, reason: error.code }, "an account keeps a role that its groups do not give");
    });
  }
}
