import { Anchor, Group, Loader, Text } from "@mantine/core";
import { tracePageSchema } from "@sightline/observability/contract";
import { IconCircleCheckFilled } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { encoded, observability } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

/** Waits for the project's first trace, and leads to it. */
export function FirstTrace({ projectId }: { readonly projectId: string }) {
  const { data } = useQuery(newestTraceQuery(projectId));
  const [trace] = data?.items ?? [];
  return (
    <Group gap="xs" role="status">
      {trace === undefined ? (
        <>
          <Loader size={14} />
          <Text size="sm">Waiting for your first trace…</Text>
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

function newestTraceQuery(projectId: string) {
  return queryOptions({
    queryKey: ["newest trace", projectId],
    queryFn: newestTrace(projectId),
    refetchInterval: ({ state: { data } }) => (data?.items.length === 0 ? WAITING_MS : false),
  });
}
