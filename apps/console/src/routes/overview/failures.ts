import { type ListedTrace, quoteTraceValue } from "@sightline/observability/contract";

export type Failed = Pick<ListedTrace, "id" | "name" | "error" | "started_at">;

type Failure = Failed & {
  readonly count: number;
  /** When the newest began. */
  readonly at: string;
  /** The query of the list that finds them. */
  readonly q: string;
};

/** A message is searched for by this much of its beginning. */
const BEGINNING = /^.{0,200}/su;

/** Failed traces, the newest first, those of the same name and message as one. */
export function failuresByError(traces: readonly Failed[]): readonly Failure[] {
  return [...Map.groupBy(traces, ({ name, error }) => JSON.stringify([name, error])).values()].flatMap(([newest, ...others]) =>
    newest === undefined ? [] : [{ ...newest, count: others.length + 1, at: newest.started_at, q: queryOf(newest) }],
  );
}

function queryOf({ name, error }: Failed): string {
  const errorTerm = error === null ? "" : ` error:${quoteTraceValue(BEGINNING.exec(error)?.[0] ?? "")}`;
  return `status:failure name:${quoteTraceValue(name)}${errorTerm}`;
}
