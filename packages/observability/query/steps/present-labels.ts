import type { ListedTrace } from "#contract.ts";
import { mapLabels, type LabelName } from "#trace-labels.ts";

/** Reads labels and tags from what a trace is found by: `environment:…`, `tag:…`. */
export function presentLabels(fields: readonly string[], maxTags: number): Pick<ListedTrace, LabelName | "tags"> {
  const valuesFor = (name: string) => fields.filter((field) => field.startsWith(`${name}:`)).map((field) => field.slice(name.length + 1));
  return { ...mapLabels((name) => valuesFor(name)[0] ?? null), tags: valuesFor("tag").slice(0, maxTags) };
}
