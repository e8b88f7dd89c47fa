import { systemClock } from "@sightline/foundation/clock";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { savedQuerySchema } from "#contract.ts";
import { startBuildFixture } from "#testing/build-fixture.ts";
import { forgetGone } from "./people.ts";
import { listSavedSearches, saveSearch } from "./saved-searches.store.ts";

test("what people saved goes with their accounts, and nobody else's", async () => {
  const { database, tenant, stop } = await startBuildFixture();
  try {
    const { tenantId } = await tenant("one");
    const query = savedQuerySchema.parse({ kind: "grep", query: "needle" });
    for (const userId of ["anna", "bert"]) {
      await saveSearch(database, { tenantId, userId, name: "needle", query, now: new Date() });
    }
    const findGone = async (ids: readonly string[]) => ids.filter((id) => id === "bert");
    await forgetGone({ database, clock: systemClock, people: { findGone, mailing: undefined } });
    expect(await listSavedSearches(database, { tenantId, userId: "anna" })).toHaveLength(1);
    expect(await listSavedSearches(database, { tenantId, userId: "bert" })).toEqual([]);
    const { rows } = await sql`select from codeindex.tenants where sweep_at is not null`.execute(database.query);
    expect(rows).toHaveLength(1);
  } finally {
    await stop();
  }
});
