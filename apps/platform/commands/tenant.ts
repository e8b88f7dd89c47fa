import { ensureCodeIndexTenant } from "@sightline/code-index";
import { createLog } from "@sightline/foundation/log";
import { UsageError } from "#failure.ts";
import { prepare, withParts } from "#prepare.ts";
import { onDatabase } from "./on-database.ts";

/** It becomes part of the name of a database schema. */
const NAME = /^[a-z][a-z0-9_]{0,39}$/;

/** `sightline tenant add`: safe to repeat. */
export function addTenant(name: string): Promise<void> {
  if (!NAME.test(name)) {
    throw new UsageError(`"${name}" can't be a tenant's name: use 1 to 40 lower-case letters, digits and _, starting with a letter.`);
  }
  return onDatabase(async ({ environment, platform }) => {
    const log = createLog({ name: "tenant", level: "warn", destination: process.stderr });
    await prepare(environment, log, platform.SIGHTLINE_WAIT_SECONDS, { firstAdmin: false });
    await withParts(environment, log, async ({ identity, codeIndex }) => {
      const tenant = await identity.ensureTenant(name);
      await ensureCodeIndexTenant(codeIndex, { tenantId: tenant.id, name: tenant.name });
      console.log(`The tenant ${tenant.name} is there (${tenant.id}). Give it an admin: sightline admin create --tenant ${tenant.name} --email … --name …`);
    });
  });
}
