import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createOtlpRig, type OtlpRig } from "./otlp-rig.ts";

/** One rig for the tests of a file, empty before each of them. */
export function useOtlpRig(): OtlpRig & { readonly database: TestDatabase<ObservabilitySchema> } {
  const otlp = {} as OtlpRig & { database: TestDatabase<ObservabilitySchema> };
  beforeAll(async () => {
    const database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
    Object.assign(otlp, await createOtlpRig(database), { database });
  });
  beforeEach(() => otlp.clear());
  afterAll(async () => {
    await otlp.close();
    await otlp.database.drop();
  });
  return otlp;
}
