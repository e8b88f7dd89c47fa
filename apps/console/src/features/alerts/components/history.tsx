import { Box, Paper, Table, Text, Title } from "@mantine/core";
import type { AlertEvent } from "@sightline/observability/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useApi } from "#http/api-context.ts";
import { alertEventsQuery } from "#features/alerts/api/alerts.ts";
import { METRICS } from "#features/alerts/rule-words.ts";
import { plural } from "#ui/format.ts";
import { ErrorState, LoadingRows } from "#ui/list-states.tsx";
import { LoadMore } from "#ui/load-more.tsx";
import { Status, type Tone } from "#ui/status.tsx";
import { TimeStamp } from "#ui/time-stamp.tsx";
import classes from "./alerts.module.css";

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
      {items === undefined && events.error === null && <LoadingRows />}
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
          <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "History" } }}>
            <Table verticalSpacing="xs" horizontalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>When</Table.Th>
                  <Table.Th>Alert</Table.Th>
                  <Table.Th>Change</Table.Th>
                  <Table.Th ta="right">Value</Table.Th>
                  <Table.Th>Told</Table.Th>
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
                    <Table.Td ta="right">{event.value === null ? "–" : METRICS[event.metric].write(event.value)}</Table.Td>
                    <Table.Td>
                      <Told notifications={event.notifications} />
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
