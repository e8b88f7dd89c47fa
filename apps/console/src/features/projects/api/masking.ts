import {
  type Masking,
  type MaskingRules,
  type TryMaskingRequest,
  maskingSchema,
  triedMaskingSchema,
} from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";
import { pathOf } from "./projects.ts";

export function maskingQuery(api: Api, projectId: string) {
  return queryOptions({
    queryKey: ["projects", projectId, "masking"],
    queryFn: ({ signal }) => api.request({ part: "observability", path: maskingPath(projectId), answer: maskingSchema, signal }),
  });
}

export function putMasking(api: Api, projectId: string, body: MaskingRules): Promise<Masking> {
  return api.request({ part: "observability", method: "PUT", path: maskingPath(projectId), body, answer: maskingSchema });
}

/** What the rules make of a sample, saved or not. */
export async function tryMasking(api: Api, projectId: string, body: TryMaskingRequest): Promise<string> {
  const path = `${maskingPath(projectId)}/try`;
  return (await api.request({ part: "observability", method: "POST", path, body, answer: triedMaskingSchema })).masked;
}

function maskingPath(projectId: string): string {
  return `${pathOf(projectId)}/masking`;
}
