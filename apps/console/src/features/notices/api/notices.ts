import { noticesSchema } from "@sightline/identity/contract";
import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import type { Api } from "#http/api.ts";

const POLL_MS = 60_000;

/** What one was not told yet about one's account. */
export function noticesQuery(api: Api) {
  return queryOptions({
    queryKey: ["notices"],
    queryFn: async ({ signal }) => {
      const { notices } = await api.request({ part: "identity", path: "/login/notices", answer: noticesSchema, signal });
      return notices;
    },
    refetchInterval: POLL_MS,
  });
}

export async function markRead(api: Api, id: string): Promise<void> {
  await api.request({ part: "identity", method: "POST", path: `/login/notices/${encodeURIComponent(id)}/read`, answer: z.unknown() });
}
