import type { RawBuilder } from "kysely";
import { boundSearch } from "#query/list/bound-search.ts";
import { conditionsOf, type ListTerm } from "#query/list/trace-conditions.ts";
import { refreshEntries } from "#query/list/refresh-entries.ts";
import type { Query } from "#schema.ts";
import type { InProject } from "#store/reader.ts";
import { chooseFrom, joinHours, type ChosenHour, type Traces } from "./chosen-traces.ts";
import { HOUR_MS, numbersOf, saidOf, type FieldRow, type Said } from "./hour-columns.ts";
import { chooseByFields, chooseByNumbers, testsOf, timeOf, type FieldTest, type HourTests } from "./hour-tests.ts";
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
type Asked = Wanted & {
  readonly by: string | undefined;
  readonly conditions: readonly RawBuilder<boolean>[];
};

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
  const tests = await testsOf(terms, context);
  const conditions = await conditionsOf(terms, context);
  const asked: Asked = { ...wanted, by, conditions };
  const hours = await query
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (transaction) => {
      await boundSearch(transaction);
      const packed = tests === undefined ? undefined : await findPacked(transaction, asked, tests);
      return packed === undefined ? readEntries(transaction, asked, [asked]) : readHours(transaction, asked, packed);
    });
  return { ...joinHours(hours, { by, limit }), isCounted };
}

type Packed = { readonly tests: HourTests; readonly hours: readonly HourRow[] };

/** Undefined when the entries are found sooner by an index. */
async function findPacked(query: Query, asked: Asked, tests: HourTests): Promise<Packed | undefined> {
  const hours = (await listHours(query, asked)).filter(({ hour }) => timeOf(hour, timesOf(asked, tests)) !== "none");
  const all = hours.reduce((sum, { traces }) => sum + traces, 0);
  for (const test of tests.fields.filter(isAmongFacets)) {
    if ((await countWithValues(query, { projectId: asked.projectId, ...test })) * ENTRY_COSTS < all) {
      return undefined;
    }
  }
  return { hours, tests };
}

/** Nobody counts the traces of a kind, or those without a value. */
function isAmongFacets({ field, isNegated }: FieldTest): boolean {
  return !isNegated && field !== "kind";
}

function timesOf({ from, to }: Asked, { times }: HourTests) {
  return [...times, { isNegated: false, spans: [{ from: from.getTime(), to: to.getTime() }] }];
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
    const isWhole = ({ hour, is_packed: isPacked }: HourRow) => isPacked && timeOf(hour, timesOf(asked, tests)) === "all";
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
  const fields = [...new Set([...(by === undefined || by === "status" ? [] : [by]), ...tests.fields.map(({ field }) => field)])];
  const saidIn = byHour(
    fields.length === 0 ? [] : await readPackedFields(query, { ...asked, fields, hours: hours.map(({ hour }) => hour) }),
  );
  const candidates = hours.flatMap((row) => {
    const said = saidIn.get(row.hour.getTime());
    const places = chooseByFields(row.traces, (field) => said?.get(field), tests.fields);
    return places.length > 0 ? [{ hour: row.hour, said: said?.get(by ?? ""), places }] : [];
  });
  const rows = await readPackedNumbers(query, { ...asked, hours: candidates.map(({ hour }) => hour) });
  const numbersIn = new Map(rows.map((row) => [row.hour.getTime(), numbersOf(row)]));
  return candidates.map(({ hour, said, places }) => {
    const numbers = numbersIn.get(hour.getTime());
    if (numbers === undefined) {
      throw new Error("An hour was packed and is gone, within one snapshot of the database");
    }
    return chooseFrom({ hour, numbers, said, places: chooseByNumbers(places, numbers, tests.numbers) });
  });
}

/** Reads one trace more than is wanted, to learn whether there are more. */
async function readEntries(query: Query, { limit, by, ...asked }: Asked, spans: readonly Span[]): Promise<readonly ChosenHour[]> {
  const field = by === "status" ? undefined : by;
  const { numbers, fields } = await packEntries(query, { ...asked, spans, by: field, limit: limit + 1 });
  const firstIn = new Map(numbers.map(({ hour, first }) => [hour.getTime(), first]));
  const saidIn = byHour(fields, (hour) => firstIn.get(hour) ?? 0);
  return numbers
    .map((row) =>
      chooseFrom({
        hour: row.hour,
        numbers: numbersOf(row),
        said: saidIn.get(row.hour.getTime())?.get(by ?? ""),
        places: chooseByFields(row.traces, () => undefined, []),
      }),
    )
    .toSorted((one, other) => other.hour - one.hour);
}

function byHour(rows: readonly FieldRow[], firstIn: (hour: number) => number = () => 0): ReadonlyMap<number, ReadonlyMap<string, Said>> {
  const hours = new Map<number, Map<string, Said>>();
  for (const row of rows) {
    const hour = row.hour.getTime();
    hours.set(hour, (hours.get(hour) ?? new Map<string, Said>()).set(row.field, saidOf(row, firstIn(hour))));
  }
  return hours;
}
