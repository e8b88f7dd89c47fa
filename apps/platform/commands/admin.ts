import { createLog } from "@sightline/foundation/log";
import { prepare, withParts } from "#prepare.ts";
import { onDatabase } from "./on-database.ts";

type AdminOptions = { readonly email: string; readonly name: string; readonly tenant: string };

/** `sightline admin create`: for the first admin, and for when nobody can log in any more. */
export function createAdmin({ email, name, tenant }: AdminOptions): Promise<void> {
  return onDatabase(async ({ environment, platform }) => {
    const log = createLog({ name: "admin", level: "warn", destination: process.stderr });
    await prepare(environment, log, platform.SIGHTLINE_WAIT_SECONDS, { firstAdmin: false });
    await withParts(environment, log, async ({ identity }) => {
      const admin = await identity.createAdmin({ email, name, tenantName: tenant });
      console.log(`Made the admin ${admin.email}.`);
      if (admin.oneTimePassword !== undefined) {
        console.log(`One-time password (to be changed at the first login, not shown again): ${admin.oneTimePassword}`);
      }
    });
  });
}
