import { deleteCodeIndexTenant, ensureCodeIndexTenant, listCodeIndexTenants } from "@sightline/code-index";
import type { Parts } from "#compose/prepare.ts";
import { renderTable } from "./output/render-table.ts";
import { onParts } from "./on-database.ts";

const NEEDS_CODE = { prepared: true, needsCode: true };

/** `sightline tenant add`: safe to repeat. */
export function addTenant(name: string): Promise<void> {
  return onParts(
    "tenant",
    async ({ identity, codeIndex }) => {
      const tenant = await identity.ensureTenant(name);
      await ensureCodeIndexTenant(codeIndex, { tenantId: tenant.id, name: tenant.name });
      console.log(
        `The tenant ${tenant.name} is there (${tenant.id}). Give it an admin: sightline admin create --tenant ${tenant.name} --email … --name …`,
      );
    },
    NEEDS_CODE,
  );
}

/** `sightline tenant list` */
export function listTenants(): Promise<void> {
  return onParts(
    "tenant",
    async (parts) => {
      const rows = await allTenants(parts);
      console.log(renderTable(["name", "id", "state", "repositories", "chunks", "database role"], rows.map(cellsOf)));
    },
    NEEDS_CODE,
  );
}

/** `sightline tenant delete`: safe to repeat, also when it was broken off. */
export function deleteTenant(name: string, { yes }: { readonly yes: boolean }): Promise<void> {
  return onParts(
    "tenant",
    async (parts) => {
      const tenant = (await allTenants(parts)).find((known) => known.name === name);
      if (tenant === undefined) {
        throw new Error(`There is no tenant ${name}. See them with: sightline tenant list`);
      }
      if (!yes) {
        console.log(
          `Repositories of ${name}: ${tenant.repositories}. They, their index, its accounts, tokens and credentials would be gone for good.`,
        );
        throw new Error(`Nothing was deleted. If it is meant, repeat: sightline tenant delete ${name} --yes`);
      }
      // This refuses the default tenant before anything is deleted.
      const accounts = (await parts.identity.host.deleteTenant(name)) ?? 0;
      await deleteCodeIndexTenant(parts.codeIndex, { name, now: new Date() });
      console.log(
        `The tenant ${name} is deleted, with its accounts (${accounts}). A running indexer removes its index now; sightline tenant list shows it until then.`,
      );
    },
    NEEDS_CODE,
  );
}

type ListedTenant = Pick<Awaited<ReturnType<typeof listCodeIndexTenants>>[number], "tenantId" | "name" | "repositories" | "chunks"> & {
  readonly deletingAt: Date | null;
  readonly hasRole: boolean;
};

/** Lists tenants of an external identity provider too. */
async function allTenants({ identity, codeIndex }: Parts): Promise<readonly ListedTenant[]> {
  const indexed = await listCodeIndexTenants(codeIndex);
  const others = (await identity.listTenants()).filter(({ name }) => !indexed.some((tenant) => tenant.name === name));
  const nothing = { repositories: 0, chunks: 0, deletingAt: null, hasRole: false };
  return [...indexed, ...others.map(({ id, name }) => ({ ...nothing, tenantId: id, name }))];
}

function cellsOf({ name, tenantId, deletingAt, repositories, chunks, hasRole }: ListedTenant): readonly string[] {
  const state = deletingAt === null ? "active" : `being deleted since ${deletingAt.toISOString()}`;
  return [name, tenantId, state, String(repositories), String(chunks), hasRole ? "yes" : "none"];
}
