import { join } from "node:path";
import type { MigrationSet } from "@sightline/foundation/database/migrations";

/** The migrations of the schema `observability`. */
export const observabilityMigrations: MigrationSet = { part: "observability", folder: join(import.meta.dirname, "migrations") };
