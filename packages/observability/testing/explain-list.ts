import { createDatabase } from "@sightline/foundation/database/database";
import { createLog } from "@sightline/foundation/log";
import { Kysely, PostgresDialect } from "kysely";
import { parseTraceQuery } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { listFacets } from "#query/list/facets.store.ts";
import { listEntries, type Sort } from "#query/list/list-traces.store.ts";
import { listGroups } from "#query/list/trace-groups.store.ts";

/**
 * The plans of the statements that the list of traces and what belongs to it run. Arguments: the database's address, the project's id,
 * and JSON `[{q, sort}]`. Prints `[{statement, plan}]`, each statement once; they are explained with the very parameters they had.
 */
const [url = "", projectId = "", cases = "[]"] = process.argv.slice(2);
const connected = createDatabase<ObservabilitySchema>({
  url,
  poolSize: 4,
  applicationName: "explain",
  log: createLog({ name: "explain", level: "warn" }),
});
const passed = new Map<string, readonly unknown[]>();
const query = new Kysely<ObservabilitySchema>({
  dialect: new PostgresDialect({ pool: connected.pool }),
  log: ({ query: { sql, parameters } }) => void passed.set(sql, parameters),
});
const common = { projectId, reader: { kind: "operator" }, after: undefined, limit: 50 } as const;
for (const { q, sort } of JSON.parse(cases) as readonly { q: string; sort: Sort }[]) {
  await listEntries(query, { ...common, terms: parseTraceQuery(q).terms, now: new Date(), sort, order: "desc" });
}
await listFacets(query, { ...common, sort: "count", field: "user", prefix: "user-1", terms: [], now: new Date() });
await listFacets(query, {
  ...common,
  sort: "count",
  field: "model",
  prefix: "",
  terms: parseTraceQuery("status:failure").terms,
  now: new Date(),
});
for (const sort of ["last", "traces", "cost", "tokens", "failures"] as const) {
  await listGroups(query, { ...common, field: "session", prefix: "", sort });
}
const plans = [];
for (const [statement, parameters] of [...passed].filter(
  ([text]) => /^\s*(?:select|with)\b/.test(text) && text.includes("observability."),
)) {
  const { rows } = await connected.pool.query<{ "QUERY PLAN": readonly { Plan: unknown }[] }>(`explain (format json) ${statement}`, [
    ...parameters,
  ]);
  plans.push({ statement, plan: rows[0]?.["QUERY PLAN"][0]?.Plan });
}
process.stdout.write(`${JSON.stringify(plans)}\n`);
await connected.close();
