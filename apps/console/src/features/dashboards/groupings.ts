import type { GroupsQuestion } from "./api/metrics.ts";

export type Grouping = {
  readonly value: string;
  readonly label: string;
  readonly question: GroupsQuestion;
  /** Whether traces are counted, and not their steps. */
  readonly ofTraces: boolean;
  /** The query of the list of traces that a group leads to; none where the list can't be asked so. */
  readonly queryOf: (key: string) => string | undefined;
};

/** What the API calls everything that is too rare to be told apart. */
const OTHER = "(other)";

export const GROUPINGS: readonly [Grouping, ...Grouping[]] = [
  { value: "model", label: "Model", question: { by: "model", kind: "llm" }, ofTraces: false, queryOf: fieldIs("model") },
  { value: "node", label: "Node", question: { by: "name", kind: "node" }, ofTraces: false, queryOf: fieldIs("node") },
  { value: "tool", label: "Tool", question: { by: "name", kind: "tool" }, ofTraces: false, queryOf: fieldIs("tool") },
  { value: "name", label: "Trace", question: { by: "trace" }, ofTraces: true, queryOf: fieldIs("name") },
  { value: "status", label: "Status", question: { by: "status" }, ofTraces: true, queryOf: fieldIs("status") },
  { value: "kind", label: "Kind of step", question: { by: "kind" }, ofTraces: false, queryOf: fieldIs("kind") },
];

export function groupingOf(value: string | undefined): Grouping {
  return GROUPINGS.find((grouping) => grouping.value === value) ?? GROUPINGS[0];
}

function fieldIs(field: string): (key: string) => string | undefined {
  return (key) => (key === "" || key === OTHER ? undefined : `${field}:${/^[\w.-]+$/u.test(key) ? key : JSON.stringify(key)}`);
}
