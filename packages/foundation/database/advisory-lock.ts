import { sql, type RawBuilder } from "kysely";

/**
 * The two numbers of an advisory lock of PostgreSQL, as its functions take them. They are made of words, so that no two parts take
 * the same number for different things.
 *
 * @param name What is locked, of which part: `code-index.tenant`.
 * @param of Which one of them, where there are several: its id.
 */
export function lockKey(name: string, of = ""): RawBuilder<unknown> {
  return sql`hashtext(${name}), hashtext(${of})`;
}
