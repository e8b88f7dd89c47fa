import { alertListSchema, detailedHealthSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import { type Component, type Reading, toReading } from "#features/health/reading.ts";
import { ApiError } from "#http/api-error.ts";
import { codeIndex, identity, observability } from "#http/calls.ts";
import { answerTo, ask, onlyItems } from "#http/queries.ts";
import type { Call } from "#http/send.ts";

const REFRESH_MS = 10_000;

const componentsSchema = z.object({
  components: z.record(
    z.string(),
    z.object({
      status: z.enum(["up", "down", "unknown"]),
      error: z.string().optional(),
      warnings: z.array(z.string()).optional(),
      figures: z.record(z.string(), z.number()).optional(),
    }),
  ),
});

type Health = z.infer<typeof componentsSchema>;

export const identityHealthQuery = healthQuery(identity.get("/health", { answer: componentsSchema, anonymous: true }));

export const codeIndexHealthQuery = healthQuery(
  codeIndex.get("/health/detailed", { answer: componentsSchema, anonymous: true, answeredAt: 503 }),
);

export const observabilityHealthQuery = healthQuery(
  observability.get("/health/detailed", { answer: detailedHealthSchema, anonymous: true }),
);

/** The alerts of the installation itself; admins alone may ask. */
export const installationAlertsQuery = queryOptions({
  queryKey: ["health", "alerts"],
  queryFn: answerTo(observability.get("/api/v1/alerts", { answer: onlyItems(alertListSchema) })),
  refetchInterval: 3 * REFRESH_MS,
  retry: false,
});

/** A part that doesn't answer is what was asked for and no error: it is known, and since when. */
function healthQuery(call: Call<Health>) {
  const queryKey = ["health", call.part];
  return queryOptions({
    queryKey,
    queryFn: async (context): Promise<Reading> => {
      const components = await componentsOf(() => ask(context, call));
      return toReading(components, context.client.getQueryData<Reading>(queryKey), new Date());
    },
    refetchInterval: REFRESH_MS,
    retry: false,
  });
}

async function componentsOf(load: () => Promise<Health>): Promise<readonly Component[]> {
  try {
    const { components } = await load();
    return [{ id: "api", state: "up" }, ...Object.entries(components).map(([id, { status: state, ...rest }]) => ({ id, state, ...rest }))];
  } catch (error) {
    if (error instanceof ApiError) {
      return [{ id: "api", state: "down", error: error.message }];
    }
    throw error;
  }
}
