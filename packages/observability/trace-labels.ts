/**
 * The words that an application, or the process it runs in, says once of a trace and by which traces are found and grouped, a row each: the
 * field of the event, what a span says, the field of the query language, the list's column, its filter and the dashboard's grouping follow
 * from here. Safe to import in a browser.
 */
export const TRACE_LABELS = {
  environment: { description: "Where it ran", example: "production", column: { width: 110 } },
  release: { description: "The release of the whole application", example: "2026.11", column: { width: 100 } },
  version: { description: "The version of the agent or service alone", example: "1.4.*", column: { width: 90 } },
  namespace: { description: "The group of services that it ran in", example: "checkout", column: { width: 110 } },
} as const satisfies Readonly<Record<string, LabelDefinition>>;

type LabelDefinition = {
  readonly description: string;
  /** In the language of the query. */
  readonly example: string;
  /** Its column in the list; pixels. */
  readonly column: { readonly width: number };
};

export type LabelName = keyof typeof TRACE_LABELS;

export const LABEL_NAMES = Object.keys(TRACE_LABELS) as readonly LabelName[];

export function mapLabels<Value>(valueFor: (name: LabelName) => Value): Record<LabelName, Value> {
  return Object.fromEntries(LABEL_NAMES.map((name) => [name, valueFor(name)])) as Record<LabelName, Value>;
}
