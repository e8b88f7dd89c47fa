import { truncatedValueSchema } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { RANGE, useLoadWhole } from "./payloads.ts";

/** A value that is too long for a step's answer, and short enough to be loaded without asking: the value itself, once it is here. */
export function useWholeValue(of: { readonly projectId: string; readonly traceId: string }, value: unknown): unknown {
  const { data: long } = truncatedValueSchema.safeParse(value);
  const load = useLoadWhole(of);
  const whole = useQuery({
    queryKey: ["whole payload", of.projectId, of.traceId, long?.payload_id, long?.part],
    queryFn: async ({ signal }) => ({ value: long === undefined ? undefined : await load(long, signal, () => undefined) }),
    enabled: long !== undefined && long.characters <= RANGE,
    staleTime: Infinity,
    gcTime: 30_000,
  });
  return long !== undefined && whole.data !== undefined ? whole.data.value : value;
}
