import { Button } from "@mantine/core";
import { IconTimelineEventX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Navigate } from "@tanstack/react-router";
import { tracePlaceQuery } from "#features/traces/api/trace.ts";
import { hasCode } from "#http/api-error.ts";
import { ErrorState } from "#ui/kit/list-states.tsx";
import { MissingPage } from "#ui/page/missing-page.tsx";
import { Page } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/traces/$traceId");

/** Leads from an id that a log line has, the trace's own or OpenTelemetry's, to the trace. */
export function FindTracePage() {
  const { traceId } = route.useParams();
  const place = useQuery(tracePlaceQuery(traceId));
  if (place.data !== undefined) {
    const { project_id: projectId, trace_id: id } = place.data;
    return <Navigate to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId: id }} replace />;
  }
  if (hasCode(place.error, "trace_not_found", "invalid_request")) {
    return (
      <MissingPage
        documentTitle="No such trace"
        icon={<IconTimelineEventX />}
        title="No trace has this id"
        description="No project that you may see has it, or keeps it still. One that has just run may take a moment to arrive. An id is a UUID, or 32 hexadecimal digits of OpenTelemetry."
      >
        <Button loading={place.isFetching} onClick={() => void place.refetch()}>
          Try again
        </Button>
      </MissingPage>
    );
  }
  return (
    <Page>
      {place.error !== null && (
        <ErrorState order={1} title="The trace could not be looked for" error={place.error} onRetry={() => void place.refetch()} />
      )}
    </Page>
  );
}
