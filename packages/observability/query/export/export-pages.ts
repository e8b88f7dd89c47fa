import type { Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { listEntries, type EntryPosition, type EntryRow } from "#query/list/list-traces.store.ts";
import type { Reader } from "#store/reader.ts";
import type { ListTerm } from "#query/list/trace-conditions.ts";

type Wanted = {
  readonly reader: Reader;
  readonly projectId: string;
  readonly terms: readonly ListTerm[];
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly now: Date;
};

/** Each page is a statement of its own, with the time limit of the list. */
const TRACES = 50;

/** Newest first; what begins after the first page was read is not among them. */
export async function* exportPages(query: Kysely<ObservabilitySchema>, wanted: Wanted): AsyncGenerator<readonly EntryRow[]> {
  const { reader, projectId, from, to, now } = wanted;
  const terms = [...wanted.terms, ...timeTerms(wanted)];
  let after: EntryPosition | undefined;
  do {
    const { rows, next } = await listEntries(query, {
      reader,
      projectId,
      terms,
      now,
      sort: "started",
      order: "desc",
      after,
      limit: TRACES,
    });
    const inTime = rows.filter(({ sort_at: at }) => (from === undefined || at >= from) && (to === undefined || at < to));
    if (inTime.length > 0) {
      yield inTime;
    }
    after = next;
  } while (after !== undefined);
}

/** To the second, as the list's query tells times. */
function timeTerms({ from, to }: Wanted): readonly ListTerm[] {
  if (from === undefined && to === undefined) {
    return [];
  }
  const range = {
    ...(from === undefined ? {} : { min: from.toISOString().slice(0, 19) }),
    ...(to === undefined ? {} : { max: to.toISOString().slice(0, 19) }),
    withMin: true,
    withMax: true,
  };
  return [{ kind: "time", field: "started", ranges: [range], isNegated: false, from: 0, to: 0 }];
}
