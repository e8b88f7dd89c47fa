import { ensureCodeIndexTenant } from "@sightline/code-index";
import { createLog } from "@sightline/foundation/log";
import { prepare, withParts } from "#prepare.ts";
import { onDatabase } from "./on-database.ts";

/** `sightline tenant add`: safe to repeat. */
export function addTenant(name: string): Promise<void> {
  return onDatabase(async ({ environment, platform }) => {
    const log = createLog({ name: "tenant", level: "warn", destination: process.stderr });
    await prepare(environment, log, platform.SIGHTLINE_WAIT_SECONDS, { firstAdmin: false });
    await withParts(environment, log, async ({ identity, codeIndex }) => {
      const tenant = await identity.ensureTenant(name);
      await ensureCodeIndexTenant(codeIndex, { tenantId: tenant.id, name: tenant.name });
      console.log(
        `The tenant ${tenant.name} is there (${tenant.id}). Give it an admin: sightline admin create --tenant ${tenant.name} --email … --name …`,
      );
    });
  });
}
