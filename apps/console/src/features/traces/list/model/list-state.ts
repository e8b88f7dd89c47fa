import { type TraceSort, type View, parseTraceQuery, sortOrderSchema, traceSortSchema } from "@sightline/observability/contract";
import { type TimeRange, readTimeRange } from "#ui/time/time-range.ts";
import { COLUMNS, type ColumnId, DEFAULT_COLUMNS } from "./columns.ts";

/** What the list of traces shows, and all of it is in the address. */
export type ListState = {
  readonly q: string;
  readonly sort: TraceSort;
  readonly order: "desc" | "asc";
  readonly columns: readonly ColumnId[];
  readonly range: TimeRange;
};

/** What each part of the page gets that shows or changes it. */
export type ListProps = {
  readonly projectId: string;
  readonly state: ListState;
  /** What is typed is no step that the browser leads back from. */
  readonly onChange: (state: ListState, isTyped?: boolean) => void;
};

export type ListSearch = Partial<Readonly<Record<"q" | "sort" | "order" | "columns" | keyof TimeRange, string | undefined>>>;

/** Reads the address; what makes no sense in it is as if it were not there, but for the query, whose errors are shown. */
export function toListState({ q, sort, order, columns, ...range }: ListSearch): ListState {
  return {
    q: q ?? "",
    sort: traceSortSchema.safeParse(sort).data ?? "started",
    order: sortOrderSchema.safeParse(order).data ?? "desc",
    columns: columns === undefined ? DEFAULT_COLUMNS : columnsOf(columns === NO_COLUMNS ? [] : columns.split(",")),
    range: readTimeRange(range),
  };
}

/** The address of a state; what is as by default is not in it. */
export function toListSearch({ q, sort, order, columns, range }: ListState): ListSearch {
  return {
    q: q.trim() === "" ? undefined : q,
    sort: sort === "started" ? undefined : sort,
    order: order === "desc" ? undefined : order,
    columns: isSame(columns, DEFAULT_COLUMNS) ? undefined : columns.length === 0 ? NO_COLUMNS : columns.join(","),
    ...range,
  };
}

/** The list as a view has it; the time range stays. */
export function applyView(state: ListState, view: Pick<View, "query" | "sort" | "order" | "columns">): ListState {
  return {
    ...state,
    q: view.query,
    sort: view.sort,
    order: view.order,
    columns: view.columns.length === 0 ? DEFAULT_COLUMNS : columnsOf(view.columns),
  };
}

/** Whether the list is just as the view has it. */
export function isView(state: ListState, view: Pick<View, "query" | "sort" | "order" | "columns">): boolean {
  const viewed = applyView(state, view);
  return (
    viewed.q.trim() === state.q.trim() &&
    viewed.sort === state.sort &&
    viewed.order === state.order &&
    isSame(viewed.columns, state.columns)
  );
}

/** Whether the API would take it. */
export function isReadable(q: string): boolean {
  return parseTraceQuery(q).errors.length === 0;
}

/** An address without any would be one by default. */
const NO_COLUMNS = "none";

function columnsOf(ids: readonly string[]): readonly ColumnId[] {
  return COLUMNS.flatMap(({ id }) => (ids.includes(id) ? [id] : []));
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}
