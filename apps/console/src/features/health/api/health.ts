import { alertListSchema, detailedHealthSchema } from "@sightline/observability/contract";
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import type { Component, Reading } from "#features/health/reading.ts";
import { readingOf } from "#features/health/reading.ts";
import type { Api } from "#http/api.ts";
import { ApiError } from "#http/api-error.ts";

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

export function identityHealthQuery(api: Api) {
  return healthQuery("identity", (signal) =>
    api.request({ part: "identity", path: "/health", answer: componentsSchema, anonymous: true, signal }),
  );
}

export function codeIndexHealthQuery(api: Api) {
  return healthQuery("code-index", (signal) =>
    api.request({ part: "code-index", path: "/health/detailed", answer: componentsSchema, anonymous: true, answeredAt: 503, signal }),
  );
}

export function observabilityHealthQuery(api: Api) {
  return healthQuery("observability", (signal) =>
    api.request({ part: "observability", path: "/health/detailed", answer: detailedHealthSchema, anonymous: true, signal }),
  );
}

/** The alerts of the installation itself; admins alone may ask. */
export function installationAlertsQuery(api: Api) {
  return queryOptions({
    queryKey: ["health", "alerts"],
    queryFn: async ({ signal }) =>
      (await api.request({ part: "observability", path: "/api/v1/alerts", answer: alertListSchema, signal })).items,
    refetchInterval: 3 * REFRESH_MS,
    retry: false,
  });
}

/** A part that doesn't answer is what was asked for and no error: it is known, and since when. */
function healthQuery(part: string, ask: (signal: AbortSignal) => Promise<Health>) {
  const queryKey = ["health", part];
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<Reading> => {
      const components = await componentsOf(() => ask(signal));
      return readingOf(components, readingBefore(client, queryKey), new Date());
    },
    refetchInterval: REFRESH_MS,
    retry: false,
  });
}

async function componentsOf(ask: () => Promise<Health>): Promise<readonly Component[]> {
  try {
    const { components } = await ask();
    return [{ id: "api", state: "up" }, ...Object.entries(components).map(([id, { status: state, ...rest }]) => ({ id, state, ...rest }))];
  } catch (error) {
    if (error instanceof ApiError) {
      return [{ id: "api", state: "down", error: error.message }];
    }
    throw error;
  }
}

function readingBefore(client: QueryClient, queryKey: readonly string[]): Reading | undefined {
  return client.getQueryData<Reading>(queryKey);
}
