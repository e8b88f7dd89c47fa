import type { HourTest, SqlCondition } from "#query/conditions/condition.ts";
import { resolveConditions, type ListTerm } from "#query/conditions/conditions.ts";
import { boundSearch } from "#store/bound-search.ts";
import { refreshEntries } from "#query/list/refresh-entries.ts";
import type { Query } from "#schema.ts";
import type { InProject } from "#store/reader.ts";
import { chooseFrom, joinHours, type ChosenHour, type Traces } from "./chosen-traces.ts";
import { HOUR_MS, unpackNumbers, unpackValues, type FieldRow, type FieldValues } from "./hour-columns.ts";
import { chooseByFields, chooseByNumbers, matchTimes, type ValuesTest } from "./hour-tests.ts";
import { packEntries } from "./pack-entries.store.ts";
import { countWithValues, listHours, readPackedFields, readPackedNumbers, type HourRow, type Span } from "./hours.store.ts";

type Wanted = InProject & {
  readonly terms: readonly ListTerm[];
  readonly now: Date;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  /** A text field of the query, or `status`, by which the traces are grouped. */
  readonly by?: string | undefined;
  /** The newest, so many at the most. */
  readonly limit: number;
};
type Asked = Wanted & { readonly conditions: readonly SqlCondition[] };

/** Traces of the hours that are read at once. */
const AT_ONCE = 65_536;
/** So many packed traces are looked at in the time that it takes to find one entry. */
const ENTRY_COSTS = 20;

/**
 * What is known of the traces that a query finds, exact: from the hours that are packed, and from the entries of hours that changed since, or
 * of all where hours cannot answer the query or only a few traces are meant. All of it as the database was at one moment.
 *
 * @throws a database's error with the code `57014` when it takes too long.
 */
export async function readTraces(query: Query, wanted: Wanted): Promise<Traces & { readonly isCounted: boolean }> {
  const { terms, now, projectId, by, limit } = wanted;
  const { isCounted } = await refreshEntries(query, projectId);
  const context = { query, projectId, now, isCounted, isByTime: true };
  const conditions = await resolveConditions(terms, context);
  const tests = conditions.flatMap(({ columns }) => columns ?? []);
  const asked = { ...wanted, conditions: conditions.map((condition) => condition.sql) };
  const hours = await query
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (transaction) => {
      await boundSearch(transaction);
      const packed = tests.length < conditions.length ? undefined : await findPacked(transaction, asked, tests);
      return packed === undefined ? readEntries(transaction, asked, [asked]) : readHours(transaction, asked, packed);
    });
  return { ...joinHours(hours, { by, limit }), isCounted };
}

type Packed = { readonly tests: readonly HourTest[]; readonly hours: readonly HourRow[] };

/** Undefined when the entries are found sooner by an index. */
async function findPacked(query: Query, asked: Asked, tests: readonly HourTest[]): Promise<Packed | undefined> {
  const hours = (await listHours(query, asked)).filter(({ hour }) => matchTimes(hour, timesAsked(asked, tests)) !== "none");
  const all = hours.reduce((sum, { traces }) => sum + traces, 0);
  for (const test of tests.filter((each) => each.kind === "values").filter(isAmongFacets)) {
    if ((await countWithValues(query, { projectId: asked.projectId, ...test })) * ENTRY_COSTS < all) {
      return undefined;
    }
  }
  return { hours, tests };
}

/** Nobody counts the traces of a kind, or those without a value. */
function isAmongFacets({ field, isNegated }: ValuesTest): boolean {
  return !isNegated && field !== "kind";
}

function timesAsked({ from, to }: Asked, tests: readonly HourTest[]) {
  const asked = { kind: "time" as const, isNegated: false, spans: [{ from: from.getTime(), to: to.getTime() }] };
  return [asked, ...tests.filter((test) => test.kind === "time")];
}

async function readHours(query: Query, asked: Asked, { tests, hours }: Packed): Promise<readonly ChosenHour[]> {
  const chosen: ChosenHour[] = [];
  let [found, lookedAt] = [0, 0];
  for (let first = 0; first < hours.length && found <= asked.limit;) {
    if (lookedAt > found * ENTRY_COSTS) {
      // Hardly any trace is meant: of those that are left an index may find them, and the database gives up in time where none does.
      const left = await readEntries(query, { ...asked, limit: asked.limit - found }, spansOf(hours.slice(first), asked));
      return [...chosen, ...left];
    }
    let [last, traces] = [first, 0];
    while (last < hours.length && (last === first || traces < AT_ONCE)) {
      traces += hours[last]?.traces ?? 0;
      last += 1;
    }
    const slice = hours.slice(first, last);
    const isWhole = ({ hour, is_packed: isPacked }: HourRow) => isPacked && matchTimes(hour, timesAsked(asked, tests)) === "all";
    const packed = await readPacked(query, asked, { tests, hours: slice.filter(isWhole) });
    const others = slice.filter((row) => !isWhole(row));
    const fromEntries =
      others.length === 0 ? [] : await readEntries(query, { ...asked, limit: asked.limit - found }, spansOf(others, asked));
    const both = [...packed, ...fromEntries].toSorted((one, other) => other.hour - one.hour);
    chosen.push(...both);
    found += both.reduce((sum, { places }) => sum + places.length, 0);
    lookedAt += packed.reduce((sum, hour) => sum + hour.traces, 0);
    first = last;
  }
  return chosen;
}

/** Hours that follow each other are one span of time, within the time that is asked for. */
function spansOf(hours: readonly HourRow[], { from, to }: Asked): readonly Span[] {
  const spans: { from: number; to: number }[] = [];
  for (const { hour } of hours) {
    const [begin, previous] = [hour.getTime(), spans.at(-1)];
    if (previous?.from === begin + HOUR_MS) {
      previous.from = begin;
    } else {
      spans.push({ from: begin, to: begin + HOUR_MS });
    }
  }
  return spans.map((span) => ({ from: new Date(Math.max(span.from, from.getTime())), to: new Date(Math.min(span.to, to.getTime())) }));
}

async function readPacked(query: Query, asked: Asked, { tests, hours }: Packed): Promise<readonly ChosenHour[]> {
  const { by } = asked;
  const valueTests = tests.filter((test) => test.kind === "values");
  const numberTests = tests.filter((test) => test.kind === "status" || test.kind === "number");
  const fields = [...new Set([...(by === undefined || by === "status" ? [] : [by]), ...valueTests.map(({ field }) => field)])];
  const valuesIn = byHour(
    fields.length === 0 ? [] : await readPackedFields(query, { ...asked, fields, hours: hours.map(({ hour }) => hour) }),
  );
  const candidates = hours.flatMap((row) => {
    const byField = valuesIn.get(row.hour.getTime());
    const places = chooseByFields(row.traces, (field) => byField?.get(field), valueTests);
    return places.length > 0 ? [{ hour: row.hour, values: byField?.get(by ?? ""), places }] : [];
  });
  const rows = await readPackedNumbers(query, { ...asked, hours: candidates.map(({ hour }) => hour) });
  const numbersIn = new Map(rows.map((row) => [row.hour.getTime(), unpackNumbers(row)]));
  return candidates.map(({ hour, values, places }) => {
    const numbers = numbersIn.get(hour.getTime());
    if (numbers === undefined) {
      throw new Error("An hour was packed and is gone, within one snapshot of the database");
    }
    return chooseFrom({ hour, numbers, values, places: chooseByNumbers(places, numbers, numberTests) });
  });
}

/** Reads one trace more than is wanted, to learn whether there are more. */
async function readEntries(query: Query, { limit, by, ...asked }: Asked, spans: readonly Span[]): Promise<readonly ChosenHour[]> {
  const field = by === "status" ? undefined : by;
  const { numbers, fields } = await packEntries(query, { ...asked, spans, by: field, limit: limit + 1 });
  const firstIn = new Map(numbers.map(({ hour, first }) => [hour.getTime(), first]));
  const valuesIn = byHour(fields, (hour) => firstIn.get(hour) ?? 0);
  return numbers
    .map((row) =>
      chooseFrom({
        hour: row.hour,
        numbers: unpackNumbers(row),
        values: valuesIn.get(row.hour.getTime())?.get(by ?? ""),
        places: chooseByFields(row.traces, () => undefined, []),
      }),
    )
    .toSorted((one, other) => other.hour - one.hour);
}

function byHour(
  rows: readonly FieldRow[],
  firstIn: (hour: number) => number = () => 0,
): ReadonlyMap<number, ReadonlyMap<string, FieldValues>> {
  const hours = new Map<number, Map<string, FieldValues>>();
  for (const row of rows) {
    const hour = row.hour.getTime();
    hours.set(hour, (hours.get(hour) ?? new Map<string, FieldValues>()).set(row.field, unpackValues(row, firstIn(hour))));
  }
  return hours;
}
