import { sql, type RawBuilder } from "kysely";
import { COMPARED, NO_REASON } from "#trace-facts/passes-on.ts";

type Counting = {
  /** A relation of the steps of a trace that failed: `id`, `parent_id` and `error`, of which {@link comparedOf} is enough. */
  readonly failed: RawBuilder<unknown>;
  /** Whether a step of this id is one of the trace. */
  readonly isStep: (id: RawBuilder<unknown>) => RawBuilder<unknown>;
  readonly trace: { readonly status: RawBuilder<unknown>; readonly error: RawBuilder<unknown> };
};

/**
 * Counts the failures that arose in a trace, by the rule of `trace-facts/find-failures.ts`; one that the trace passes on from no step is its own.
 * Steps are put to their parents by grouping: of a join the planner may go through all failures for each, when it takes them for few.
 */
export function countFailures({ failed, isStep, trace }: Counting): RawBuilder<number> {
  return sql<number>`(
    select count(*) from (
      select min(error) filter (where is_own) as error, array_agg(error) filter (where not is_own) as below
      from (
        select id, error, true as is_own from ${failed} as own
        union all
        select parent_id, error, false from ${failed} as child where parent_id <> id
      ) as part
      group by id having bool_or(is_own)
    ) as step
    where not exists (select from unnest(step.below) as below (error) where ${passesOn(sql`step.error`, sql`below.error`)})
  ) + (
    case when ${trace.status} = 'failure' and not exists (
      select from ${failed} as top where ${passesOn(comparedOf(trace.error), sql`top.error`)} and (top.parent_id is null or not ${isStep(sql`top.parent_id`)})
    ) then 1 else 0 end
  )`;
}

/** The part of an error that is compared; null when it gives no reason. */
export function comparedOf(error: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<string | null>`nullif(nullif(left(${error}, ${sql.lit(COMPARED.error)}), ''), ${sql.lit(NO_REASON)})`;
}

/** The rule of `trace-facts/passes-on.ts` for what {@link comparedOf} makes of errors. */
export function passesOn(error: RawBuilder<unknown>, below: RawBuilder<unknown>): RawBuilder<boolean> {
  const [min, max] = COMPARED.message;
  const message = sql`regexp_replace(${below}, ${sql.lit(COMPARED.type)}, '')`;
  return sql<boolean>`(${error} is null
    or strpos(' ' || ${error} || chr(10), ' ' || ${below} || chr(10)) > 0
    or length(${message}) >= ${sql.lit(min)} and strpos(${error}, left(${message}, ${sql.lit(max)})) > 0)`;
}
