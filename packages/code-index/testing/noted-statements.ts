import type { createDatabase } from "@sightline/foundation/database/database";
import { Kysely, PostgresDialect } from "kysely";
import type { CodeIndexTables } from "#schema.ts";

type Connected = ReturnType<typeof createDatabase<CodeIndexTables>>;

export type Plan = { readonly statement: string; readonly plan: unknown };

/** A database that notes the statements that pass, and explains them afterwards, with the very parameters they had. */
export function noteStatements(connected: Connected) {
  const passed = new Map<string, readonly unknown[]>();
  const query = new Kysely<CodeIndexTables>({
    dialect: new PostgresDialect({ pool: connected.pool }),
    log: ({ query: { sql, parameters } }) => void passed.set(sql, parameters),
  });
  return {
    database: { ...connected, query },
    /** The plans of what was read of a tenant, each statement once. */
    explain: async (schema: string): Promise<readonly Plan[]> => {
      const noted = [...passed].filter(([statement]) => statement.includes(`"${schema}"`) && /^\s*(?:select|with)\b/.test(statement));
      const plans: Plan[] = [];
      for (const [statement, parameters] of noted) {
        const { rows } = await connected.pool.query<{ "QUERY PLAN": readonly { Plan: unknown }[] }>(`explain (format json) ${statement}`, [
          ...parameters,
        ]);
        plans.push({ statement, plan: rows[0]?.["QUERY PLAN"][0]?.Plan });
      }
      return plans;
    },
  };
}
