import { Anchor, Box, Paper, Table, Text, Title } from "@mantine/core";
import type { AlertEvent } from "@sightline/observability/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "#http/api-context.ts";
import { alertEventsQuery } from "#features/alerts/api/alerts.ts";
import { METRICS } from "#features/alerts/rule-words.ts";
import { plural } from "#ui/words/format.ts";
import { ErrorState, LoadingRows } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import panel from "#ui/kit/panel-table.module.css";
import { Status, type Tone } from "#ui/kit/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import classes from "./alerts.module.css";

const MINUTE_MS = 60_000;

export function History({ projectId }: { readonly projectId: string }) {
  const events = useInfiniteQuery(alertEventsQuery(useApi(), projectId));
  const items = events.data?.pages.flatMap((page) => page.items);
  return (
    <Paper component="section">
      <div className={classes.head}>
        <div>
          <Title order={2}>History</Title>
          <Text size="sm" c="dimmed" mt={4}>
            What fired in the last 90 days, and whether it arrived.
          </Text>
        </div>
      </div>
      {items === undefined && events.error === null && (
        <div className={classes.waiting}>
          <LoadingRows rows={3} />
        </div>
      )}
      {items === undefined && events.error !== null && (
        <ErrorState title="The history could not be loaded" error={events.error} onRetry={() => void events.refetch()} />
      )}
      {items?.length === 0 && (
        <Text px="lg" pb="lg" c="dimmed">
          Nothing has fired.
        </Text>
      )}
      {items !== undefined && items.length > 0 && (
        <>
          <Table.ScrollContainer minWidth={720} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "History" } }}>
            <Table verticalSpacing="xs" horizontalSpacing="sm" className={panel.table ?? ""}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>When</Table.Th>
                  <Table.Th>Alert</Table.Th>
                  <Table.Th>Change</Table.Th>
                  <Table.Th ta="right">Value</Table.Th>
                  <Table.Th>Told</Table.Th>
                  <Table.Th>Look at</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {items.map((event) => (
                  <Table.Tr key={event.id}>
                    <Table.Td>
                      <TimeStamp at={event.at} />
                    </Table.Td>
                    <Table.Td fw={550}>{event.rule_name}</Table.Td>
                    <Table.Td>
                      <Status tone={event.kind === "fired" ? "bad" : "ok"}>{event.kind === "fired" ? "Fired" : "Resolved"}</Status>
                    </Table.Td>
                    <Table.Td className={classes.value ?? ""}>
                      {event.value === null ? "–" : METRICS[event.metric].write(event.value)}
                    </Table.Td>
                    <Table.Td>
                      <Told notifications={event.notifications} />
                    </Table.Td>
                    <Table.Td>
                      <Cause projectId={projectId} event={event} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          <Box pb="md">
            <LoadMore list={events} />
          </Box>
        </>
      )}
    </Paper>
  );
}

/** To what was looked at when the alert fired. */
function Cause({
  projectId,
  event: { kind, metric, at, window_minutes: minutes },
}: {
  readonly projectId: string;
  readonly event: AlertEvent;
}) {
  if (kind === "resolved" || metric === "no_traces") {
    return null;
  }
  if (metric === "gaps") {
    return (
      <Anchor component={Link} fz="sm" to="/projects/$projectId/dead-letters" params={{ projectId }} search={{ show: "gaps" }}>
        lost events
      </Anchor>
    );
  }
  const from = new Date(Date.parse(at) - minutes * MINUTE_MS).toISOString();
  const failures = metric === "errors" || metric === "error_rate" ? { q: "status:failure" } : {};
  return (
    <Anchor component={Link} fz="sm" to="/projects/$projectId/traces" params={{ projectId }} search={{ ...failures, from, to: at }}>
      {"q" in failures ? "failures of that time" : "traces of that time"}
    </Anchor>
  );
}

const TONES: Readonly<Record<AlertEvent["notifications"][number]["state"], Tone>> = { sent: "ok", pending: "busy", dead: "bad" };

function Told({ notifications }: Pick<AlertEvent, "notifications">) {
  if (notifications.length === 0) {
    return (
      <Text span size="sm" c="dimmed">
        nobody
      </Text>
    );
  }
  return notifications.map(({ id, channel, state, tries, problem }) => (
    <div key={id}>
      <Status tone={TONES[state]}>
        {channel}
        {state === "pending" && ` · ${tries === 0 ? "on its way" : `${plural(tries, "try", "tries")}, trying again`}`}
        {state === "dead" && ` · given up after ${plural(tries, "try", "tries")}`}
      </Status>
      {problem !== null && (
        <Text size="sm" c="dimmed">
          {problem}
        </Text>
      )}
    </div>
  ));
}
