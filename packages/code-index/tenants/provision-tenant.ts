import { createHash } from "node:crypto";
import type { Clock } from "@sightline/foundation/clock";
import { AppError, refusal } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import { createSemaphore } from "@sightline/foundation/semaphore";
import { ensureTenant, findTenant, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";

type ProvisionerOptions = { readonly database: CodeIndexDatabase; readonly log: Logger; readonly clock: Clock };

/** Makes the tenant of a verified token's `tid`; undefined when it may not be made. */
export type ProvisionTenant = (tenantId: string) => Promise<Tenant | undefined>;

/** New tenants that a process makes in a minute: each is a schema, and whoever signs tokens may be mistaken about their tids. */
const MAX_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

/** They are made one after another in any case; whoever waits here holds no connection. As many as may come in a minute are waited for as long. */
const IN_TURN = { atOnce: 1, waitMs: MINUTE_MS };
const ALL = "tenants";

/** Longer ids are refused. */
const MAX_TENANT_ID_BYTES = 255;

/** Makes tenants on their first use, for `CODEINDEX_TENANT_AUTO_PROVISION=true`. */
export function createProvisioner({ database, log, clock }: ProvisionerOptions): ProvisionTenant {
  const making = new Map<string, Promise<Tenant | undefined>>();
  const provisioningLimit = createSemaphore(IN_TURN);
  let minute = 0;
  let made = 0;

  function count(): void {
    const now = Math.floor(clock.now().getTime() / MINUTE_MS);
    made = now === minute ? made : 0;
    minute = now;
    if (made >= MAX_PER_MINUTE) {
      throw refusal(429, "too_many_tenants", "Too many organizations came for the first time in this minute; try again in the next.", {
        headers: { "retry-after": "60" },
      });
    }
    made += 1;
  }

  async function make(tenantId: string): Promise<Tenant | undefined> {
    try {
      const tenant = await ensureTenant(database, { tenantId, name: tenantNameFor(tenantId) });
      log.info({ tenant: tenant.name }, "a tenant was made on its first use");
      return tenant;
    } catch (error) {
      if (!(error instanceof AppError)) {
        throw error;
      }
      // It is being deleted, or somebody registered it meanwhile, under a name of their choice.
      return findTenant(database, tenantId);
    }
  }

  async function makeInTurn(tenantId: string): Promise<Tenant | undefined> {
    count();
    return provisioningLimit.run(ALL, undefined, () => make(tenantId));
  }

  return async (tenantId) => {
    if (Buffer.byteLength(tenantId) > MAX_TENANT_ID_BYTES || tenantId.trim() === "") {
      return undefined;
    }
    const known = making.get(tenantId);
    if (known !== undefined) {
      return known;
    }
    const begun = makeInTurn(tenantId).finally(() => making.delete(tenantId));
    making.set(tenantId, begun);
    return begun;
  };
}

/** Characters of the id that the tenant's name shows; a name may have 56 bytes. */
const SHOWN = 40;

/** Tells people whose it is, and is nobody else's: the end is a hash of the whole `tid`. */
export function tenantNameFor(tenantId: string): string {
  const shown = tenantId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_|_$/g, "")
    .slice(0, SHOWN);
  const hash = createHash("sha256").update(tenantId).digest("hex").slice(0, 14);
  return `${shown}${shown === "" ? "" : "_"}${hash}`;
}
