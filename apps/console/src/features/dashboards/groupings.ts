import { LABEL_NAMES, quoteTraceValue } from "@sightline/observability/contract";
import type { GroupsQuestion } from "#features/dashboards/api/metrics.ts";
import { capitalized } from "#ui/words/format.ts";

export type Grouping = {
  /** The name in the address. */
  readonly value: string;
  readonly label: string;
  /** The field of the query by which traces are grouped, and which leads to a group's traces. */
  readonly field: string;
  /** What the figures of all traces, which are counted by the hour, tell of it. Without it they are read from the traces. */
  readonly question?: GroupsQuestion;
  /** Whether those are of steps and not of traces. */
  readonly ofSteps?: true;
};

const KIND: Grouping = { value: "kind", label: "Kind of step", field: "kind", question: { by: "kind" }, ofSteps: true };
const GROUPINGS: readonly [Grouping, ...Grouping[]] = [
  { value: "model", label: "Model", field: "model", question: { by: "model", kind: "llm" }, ofSteps: true },
  { value: "node", label: "Node", field: "node", question: { by: "name", kind: "node" }, ofSteps: true },
  { value: "tool", label: "Tool", field: "tool", question: { by: "name", kind: "tool" }, ofSteps: true },
  KIND,
  { value: "name", label: "Trace", field: "name", question: { by: "trace" } },
  { value: "status", label: "Status", field: "status", question: { by: "status" } },
  ...["user", "session", "tag", ...LABEL_NAMES].map((field) => ({
    value: field,
    label: capitalized(field),
    field,
  })),
];

/** What there is to group by; the keys are those of the traces' metadata. */
export function listGroupings(keys: readonly string[], isFiltered: boolean): readonly Grouping[] {
  return [
    ...GROUPINGS.filter((grouping) => !(isFiltered && grouping === KIND)),
    ...keys.map((key) => ({ value: `metadata.${key}`, label: `Metadata: ${key}`, field: `metadata.${key}` })),
  ];
}

export function findGrouping(value: string | undefined, groupings: readonly Grouping[]): Grouping {
  return groupings.find((grouping) => grouping.value === value) ?? GROUPINGS[0];
}

/** Fields by which a chart is told, each with its name. */
export function listChartFields(keys: readonly string[]) {
  return listGroupings(keys, true).map(({ field, label }) => ({ value: field, label }));
}

/** What the API calls everything that is too rare to be told apart. */
const OTHER = "(other)";

/** The query of the list of traces that a group leads to; none where the list can't be asked so. */
export function queryOfGroup(field: string, key: string, q = ""): string | undefined {
  return key === "" || key === OTHER ? undefined : `${q.trim()} ${field}:${quoteTraceValue(key)}`.trim();
}
