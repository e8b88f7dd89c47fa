import { noticesSchema } from "@sightline/identity/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, identity } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

const POLL_MS = 60_000;

/** What one was not told yet about one's account. */
export const noticesQuery = queryOptions({
  queryKey: ["notices"],
  queryFn: answerTo(identity.get("/login/notices", { answer: noticesSchema.transform(({ notices }) => notices) })),
  refetchInterval: POLL_MS,
});

export const markRead = (id: string) => identity.post(encoded`/login/notices/${id}/read`);
