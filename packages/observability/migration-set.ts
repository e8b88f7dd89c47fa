import { join } from "node:path";
import type { MigrationSet } from "@sightline/foundation/database/migrations";
import { distributeObservability } from "#store/distribute.ts";

/** The migrations of the schema `observability`. */
export const observabilityMigrations: MigrationSet = {
  part: "observability",
  folder: join(import.meta.dirname, "migrations"),
  distribute: distributeObservability,
};
