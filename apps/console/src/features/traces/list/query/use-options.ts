import { useDebouncedValue } from "@mantine/hooks";
import { type FacetField, facetFieldSchema } from "@sightline/observability/contract";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useApi } from "#http/api-context.ts";
import { facetsQuery } from "#features/traces/api/list-traces.ts";
import { isReadable } from "#features/traces/list/list-state.ts";
import { type QueryOption, type QueryPlace, optionsAt, placeAt, withoutTermAt } from "./query-completion.ts";

const PAUSE_MS = 120;
const NO_VALUES: readonly { readonly value: string; readonly count: number }[] = [];

/** What the text may become at the caret; asks the API for the values of a field. Nothing without a caret. */
export function useOptions(
  projectId: string,
  text: string,
  caret: number | undefined,
): { readonly place: QueryPlace | undefined; readonly options: readonly QueryOption[] } {
  const place = caret === undefined ? undefined : placeAt(text, caret);
  const field = place?.kind === "value" ? facetFieldSchema.safeParse(place.field.name).data : undefined;
  const [prefix] = useDebouncedValue(place?.begun ?? "", PAUSE_MS);
  const values = useFacets(projectId, field, prefix, place === undefined ? "" : withoutTermAt(text, place));
  return { place, options: place === undefined ? [] : optionsAt(place, values) };
}

function useFacets(projectId: string, field: FacetField | undefined, prefix: string, q: string) {
  const api = useApi();
  const options = facetsQuery(api, projectId, { field: field ?? "name", prefix, q: isReadable(q) ? q : "" });
  const facets = useQuery({
    ...options,
    queryFn: field === undefined ? skipToken : (options.queryFn ?? skipToken),
    // While more is typed the known values of the same field still fit.
    placeholderData: (previous, query) => (query?.queryKey[2] === field ? previous : undefined),
  });
  return facets.data?.items ?? NO_VALUES;
}
