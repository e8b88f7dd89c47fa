import { parseTraceQuery, type ObservationStatus } from "#contract.ts";
import type { ListTerm } from "#query/conditions/conditions.ts";
import { invalidQuery } from "./trace-query.errors.ts";

type TraceFilter = {
  readonly q?: string | undefined;
  readonly status?: ObservationStatus | undefined;
  readonly name?: string | undefined;
  readonly search?: string | undefined;
};

const HERE = { isNegated: false, from: 0, to: 0 };

/**
 * The query's terms, and those that the other parameters stand for.
 *
 * @throws {AppError} 400 `invalid_query`.
 */
export function readListTerms({ q = "", status, name, search }: TraceFilter): readonly ListTerm[] {
  const { terms, errors } = parseTraceQuery(q);
  if (errors.length > 0) {
    throw invalidQuery(errors);
  }
  return [
    ...terms,
    ...(status === undefined ? [] : [{ ...HERE, kind: "choice" as const, field: "status", values: [status] }]),
    ...(name === undefined ? [] : [{ ...HERE, kind: "part" as const, field: "name", text: name }]),
    ...(search === undefined ? [] : [{ ...HERE, kind: "words" as const, text: search }]),
  ];
}
