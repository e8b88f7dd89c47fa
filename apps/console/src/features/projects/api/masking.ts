import { type MaskingRules, type TryMaskingRequest, maskingSchema, triedMaskingSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

const maskingOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/masking`;

export function maskingQuery(projectId: string) {
  return queryOptions({
    queryKey: ["projects", projectId, "masking"],
    queryFn: answerTo(observability.get(maskingOf(projectId), { answer: maskingSchema })),
  });
}

export const putMasking = (projectId: string, body: MaskingRules) =>
  observability.put(maskingOf(projectId), { body, answer: maskingSchema });

/** What the rules make of a sample, saved or not. */
export const tryMasking = (projectId: string, body: TryMaskingRequest) =>
  observability.post(`${maskingOf(projectId)}/try`, { body, answer: triedMaskingSchema.transform(({ masked }) => masked) });
