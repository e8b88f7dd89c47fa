import { sql, type RawBuilder } from "kysely";

type Expression = RawBuilder<unknown>;

/** The ratio of a bucket's longest time to its shortest: its middle is within 1 % of every time in it. */
const RATIO = 1.02;
/** The bucket of everything up to a microsecond, which counts as no time. */
const LOWEST = -349;

/** The bucket of a time in milliseconds; null where there is none. */
export function toBucket(ms: Expression) {
  return sql`case when ${ms} > 0.001 then ceil(ln(${ms}) / ln(${RATIO}::double precision)) else ${ms} * 0 + ${LOWEST} end`;
}

/**
 * A percentile as `percentile_cont` would have it of the times themselves, within 1 %. It aggregates rows of a `bucket`, with how many
 * times are in it and in those below it (`reached`), and in all (`timed`).
 */
export function selectPercentile(part: number, isCounted: RawBuilder<boolean> = sql<boolean>`true`) {
  const place = sql`${part}::numeric * (timed - 1)`;
  const timeAt = (rank: Expression) => timeOf(sql`min(bucket) filter (where ${isCounted} and reached > ${rank})`);
  const [below, above] = [timeAt(sql`floor(${place})`), timeAt(sql`ceil(${place})`)];
  return sql<
    number | null
  >`${below} + (${above} - ${below}) * (max(${place} - floor(${place})) filter (where ${isCounted}))::double precision`;
}

function timeOf(bucket: Expression) {
  return sql`case when ${bucket} > ${LOWEST} then power(${RATIO}::double precision, ${bucket} - 0.5) else ${bucket} * 0::double precision end`;
}
