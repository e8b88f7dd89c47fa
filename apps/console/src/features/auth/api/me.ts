import { meSchema } from "@sightline/identity/contract";
import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { identity } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: answerTo(identity.get("/login/me", { answer: meSchema })),
  staleTime: 60_000,
});

/** Who is logged in; the gate of the signed-in pages has asked before they are shown. */
export const useMe = () => useSuspenseQuery(meQuery).data;
