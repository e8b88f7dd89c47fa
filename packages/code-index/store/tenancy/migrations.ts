import { fileURLToPath } from "node:url";
import type { MigrationSet } from "@sightline/foundation/database/migrations";

/** The service's own schema, `codeindex`; tenants' schemas follow `tenant-template.ts`. */
export const codeIndexMigrations: MigrationSet = {
  part: "code-index",
  folder: fileURLToPath(new URL("../../migrations", import.meta.url)),
};
