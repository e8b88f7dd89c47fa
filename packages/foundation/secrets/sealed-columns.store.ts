import { sql, type Kysely, type Transaction } from "kysely";
import type { SealedPlace } from "./reseal.ts";
import type { SealContext } from "./sealing.ts";

type SealedColumn<Schema, Owner extends string> = {
  readonly query: Kysely<Schema>;
  /** With its schema. */
  readonly table: string;
  /** Null or empty where nothing is sealed. */
  readonly column: string;
  readonly purpose: string;
  /** The table's key; `id` when left out. */
  readonly key?: string;
  /** The other columns that a value is bound to. */
  readonly owner?: readonly Owner[];
  readonly contextOf: (row: Readonly<Record<Owner | "id", string>>) => SealContext;
  /** Called in the transaction that replaced some. */
  readonly noteReplaced?: (transaction: Transaction<Schema>, rows: number) => Promise<void>;
};

/** A column of sealed values, for the command line to count and to seal again. */
export function sealedColumn<Schema, Owner extends string = never>(given: SealedColumn<Schema, Owner>): SealedPlace {
  const { query, purpose, owner = [], contextOf, noteReplaced } = given;
  const [table, column, key] = [sql.table(given.table), sql.ref(given.column), sql.ref(given.key ?? "id")];
  const columns = sql.join([sql`${key}::text as id`, sql`${column} as sealed`, ...owner.map((name) => sql.ref(name))]);
  const keyId = sql`split_part(${column}, '.', 2)`;
  return {
    purpose,
    countByKey: async () => {
      const { rows } = await sql<{ keyId: string; rows: number }>`
        select ${keyId} as "keyId", count(*)::int as rows from ${table} where ${column} <> '' group by 1
      `.execute(query);
      return rows;
    },
    listSealedByOthers: async ({ keyId: own, after, limit }) => {
      const { rows } = await sql<Readonly<Record<Owner | "id" | "sealed", string>>>`
        select ${columns} from ${table} where ${column} <> '' and ${keyId} <> ${own} and ${key}::text > ${after}
        order by ${key}::text limit ${limit}
      `.execute(query);
      return rows.map((row) => ({ id: row.id, sealed: row.sealed, context: contextOf(row) }));
    },
    replaceAll: (values) =>
      query.transaction().execute(async (transaction) => {
        let replaced = 0;
        for (const { id, sealed, anew } of values) {
          const { numAffectedRows } = await sql`
            update ${table} set ${column} = ${anew} where ${key} = ${id} and ${column} = ${sealed}
          `.execute(transaction);
          replaced += Number(numAffectedRows ?? 0);
        }
        if (replaced > 0) {
          await noteReplaced?.(transaction, replaced);
        }
        return replaced;
      }),
  };
}
