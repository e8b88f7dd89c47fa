import { Anchor, Group, Loader, Text } from "@mantine/core";
import { tracePageSchema } from "@sightline/observability/contract";
import { IconCircleCheckFilled } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { encoded, observability } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

/** Waits for a trace that was not there `before`, the newest of then, and leads to it. */
export function FirstTrace({ projectId, before }: { readonly projectId: string; readonly before: string | undefined }) {
  const { data } = useQuery({
    queryKey: ["newest trace", projectId, before],
    queryFn: newestTrace(projectId),
    refetchInterval: ({ state }) => (state.data?.items[0]?.id === before ? WAITING_MS : false),
  });
  const trace = data?.items.find(({ id }) => id !== before);
  return (
    <Group gap="xs" role="status">
      {trace === undefined ? (
        <>
          <Loader size={14} />
          <Text size="sm">Waiting for your {before === undefined ? "first" : "next"} trace…</Text>
        </>
      ) : (
        <>
          <IconCircleCheckFilled size={18} color="var(--sl-ok)" aria-hidden="true" />
          <Text size="sm">
            Here it is:{" "}
            <Anchor component={Link} to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId: trace.id }} fw={550}>
              {trace.name}
            </Anchor>
          </Text>
        </>
      )}
    </Group>
  );
}

const WAITING_MS = 2_000;

const newestTrace = (projectId: string) =>
  answerTo(observability.get(encoded`/api/v1/projects/${projectId}/traces`, { query: { limit: 1 }, answer: tracePageSchema }));

/** Which trace is the newest when somebody begins to set an agent up, who waits for another. */
export function traceBeforeQuery(projectId: string) {
  return queryOptions({ queryKey: ["trace before", projectId], queryFn: newestTrace(projectId), staleTime: Infinity, gcTime: 0 });
}
