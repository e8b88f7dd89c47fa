import { sql, type RawBuilder } from "kysely";
import type { TenantTemplate } from "./tenant-histories.ts";

/**
 * Lists from before have letters alone, and a literal with signs would miss what it is in: without any a segment is gone through chunk
 * by chunk, until its files are split anew by the next job.
 */
export function trigramsKnowSigns({ schema }: TenantTemplate): RawBuilder<unknown> {
  return sql`truncate ${schema}.trigrams`;
}
