import { Anchor, Button, Table, Text, VisuallyHidden } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Delivery } from "@sightline/code-index/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "#http/api-context.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { failureTitle } from "#ui/kit/failure-title.ts";
import { plural } from "#ui/words/format.ts";
import { Status } from "#ui/kit/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { DELIVERIES_KEY, replayDelivery } from "#features/webhooks/api/deliveries.ts";
import { PROVIDERS, STATUSES } from "#features/webhooks/delivery-labels.ts";
import classes from "./delivery-table.module.css";

export function DeliveryTable({ deliveries, mayReplay }: { readonly deliveries: readonly Delivery[]; readonly mayReplay: boolean }) {
  return (
    <Table.ScrollContainer minWidth={680} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Deliveries" } }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Repository</Table.Th>
            <Table.Th>What came of it</Table.Th>
            <Table.Th className={classes.wide}>Commit</Table.Th>
            <Table.Th>Received</Table.Th>
            <Table.Th>Delivery</Table.Th>
            {mayReplay && (
              <Table.Th w={100}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} mayReplay={mayReplay} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function DeliveryRow({ delivery, mayReplay }: { readonly delivery: Delivery; readonly mayReplay: boolean }) {
  const { label, tone } = STATUSES[delivery.status];
  const branches = delivery.changes.map(({ branch }) => branch).join(", ");
  const commit = delivery.changes.find(({ after }) => after !== null)?.after ?? null;
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor
          component={Link}
          // Not to its code, which has its place by name: the host's may be another.
          to="/code/repos/$repositoryId"
          params={{ repositoryId: delivery.repo_id }}
          fw={550}
        >
          {delivery.full_name}
        </Anchor>
        <Text size="xs" c="dimmed">
          {delivery.event}
          {branches !== "" && ` to ${branches}`}
        </Text>
      </Table.Td>
      <Table.Td>
        <Status tone={tone}>{label}</Status>
        <Text size="xs" c="dimmed" mt={2} maw="50ch">
          <Jobs delivery={delivery} />
          {delivery.job_ids.length > 0 && delivery.reason !== "" && "; "}
          {delivery.reason}
        </Text>
      </Table.Td>
      <Table.Td className={classes.wide}>
        {commit === null ? (
          <Text inherit c="dimmed">
            –
          </Text>
        ) : (
          <CopyableId value={commit} label="commit" />
        )}
      </Table.Td>
      <Table.Td>
        <TimeStamp at={delivery.received_at} />
        {delivery.replayed_at !== null && (
          <Text size="xs" c="dimmed">
            replayed {plural(delivery.replays, "time", "times")}, <TimeStamp at={delivery.replayed_at} />
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <CopyableId value={delivery.delivery_id} label="delivery id" />
        <Text size="xs" c="dimmed">
          {PROVIDERS[delivery.provider]}
        </Text>
      </Table.Td>
      {mayReplay && (
        <Table.Td>
          <ReplayButton delivery={delivery} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

/** They are among those of its repository. */
function Jobs({ delivery: { job_ids: jobs, repo_id: repository } }: { readonly delivery: Delivery }) {
  if (jobs.length === 0) {
    return null;
  }
  return (
    <Anchor component={Link} to="/code/jobs" search={{ repository }} inherit>
      {plural(jobs.length, "job", "jobs")}
    </Anchor>
  );
}

function ReplayButton({ delivery }: { readonly delivery: Delivery }) {
  const api = useApi();
  const queries = useQueryClient();
  const replay = useMutation({
    mutationFn: () => replayDelivery(api, delivery.id),
    onSuccess: async ({ status, reason }) => {
      notifications.show({
        color: status === "accepted" ? "green" : "yellow",
        title: `The delivery was replayed and ${status}`,
        message: reason === "" ? "Its job is queued." : reason,
      });
      await queries.invalidateQueries({ queryKey: DELIVERIES_KEY });
    },
    onError: (error) =>
      notifications.show({ color: "red", title: failureTitle(error, "The delivery was not replayed"), message: error.message }),
  });
  return (
    <Button
      size="xs"
      variant="default"
      loading={replay.isPending}
      aria-label={`Replay the delivery ${delivery.delivery_id.slice(0, 8)}`}
      onClick={() => replay.mutate()}
    >
      Replay
    </Button>
  );
}
