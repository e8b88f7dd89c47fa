import { intakeSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

/** Where observed applications send to. */
export function intakeQuery(api: Api) {
  return queryOptions({
    queryKey: ["intake"],
    queryFn: ({ signal }) => api.request({ part: "observability", path: "/api/v1/intake", answer: intakeSchema, signal }),
    staleTime: Infinity,
  });
}
