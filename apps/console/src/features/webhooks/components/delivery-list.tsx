import { Anchor, Box, Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { WEBHOOK_HOSTS, type Delivery } from "@sightline/code-index/contract";
import { IconWebhook } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { useChange } from "#http/use-change.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { failureTitle } from "#ui/kit/failure-title.ts";
import { plural } from "#ui/words/format.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { EmptyPanel, ListOf, NoMatch } from "#ui/kit/list-states.tsx";
import { NoValue, Status } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { DELIVERIES_KEY, type DeliveryFilter, deliveriesQuery, replayDelivery } from "#features/webhooks/api/deliveries.ts";
import { STATUSES } from "#features/webhooks/delivery-labels.ts";
import classes from "./delivery-list.module.css";

type DeliveryListProps = {
  readonly filter: DeliveryFilter;
  readonly mayReplay: boolean;
  /** How to set a webhook up, for who has none yet. */
  readonly recipe: ReactNode;
  readonly onUnfiltered: () => void;
};

export function DeliveryList({ filter, mayReplay, recipe, onUnfiltered }: DeliveryListProps) {
  const list = useInfiniteQuery(deliveriesQuery(filter));
  const isFiltered = filter.status !== undefined || filter.repositoryId !== undefined;
  return (
    <ListOf
      list={list}
      items={list.data?.pages.flatMap(({ items }) => items)}
      failed="The deliveries could not be loaded"
      empty={
        isFiltered ? (
          <NoMatch
            title="No delivery matches"
            description="Try any status and any repository."
            all="Show all deliveries"
            onAll={onUnfiltered}
          />
        ) : (
          <>
            <EmptyPanel
              icon={<IconWebhook />}
              title="No delivery yet"
              description="Until a webhook is set up, pushes are found by asking each repository's host every ten minutes."
            />
            <Box p="lg" pt={0}>
              {recipe}
            </Box>
          </>
        )
      }
    >
      {(deliveries) => <DeliveryTable deliveries={deliveries} mayReplay={mayReplay} />}
    </ListOf>
  );
}

function DeliveryTable({ deliveries, mayReplay }: { readonly deliveries: readonly Delivery[]; readonly mayReplay: boolean }) {
  return (
    <DataTable
      label="Deliveries"
      minWidth={680}
      rows={deliveries}
      rowKey={({ id }) => id}
      columns={[
        { header: "Repository", render: (delivery) => <Push delivery={delivery} /> },
        { header: "Result", render: (delivery) => <Result delivery={delivery} /> },
        {
          header: "Commit",
          className: classes.wide,
          render: ({ changes }) => {
            const commit = changes.find(({ after }) => after !== null)?.after ?? null;
            return commit === null ? <NoValue /> : <CopyableId value={commit} label="commit" />;
          },
        },
        {
          header: "Received",
          render: (delivery) => (
            <>
              <TimeStamp at={delivery.received_at} />
              {delivery.replayed_at !== null && (
                <Dimmed size="xs">
                  replayed {plural(delivery.replays, "time", "times")}, <TimeStamp at={delivery.replayed_at} />
                </Dimmed>
              )}
            </>
          ),
        },
        {
          header: "Delivery",
          render: (delivery) => (
            <>
              <CopyableId value={delivery.delivery_id} label="delivery id" />
              <Dimmed size="xs">{WEBHOOK_HOSTS[delivery.provider].title}</Dimmed>
            </>
          ),
        },
        mayReplay && { header: "Actions", isHidden: true, width: 100, render: (delivery) => <ReplayButton delivery={delivery} /> },
      ]}
    />
  );
}

function Push({ delivery }: { readonly delivery: Delivery }) {
  const branches = delivery.changes.map(({ branch }) => branch).join(", ");
  return (
    <>
      <Anchor
        component={Link}
        // Not to its code, which has its place by name: the host's may be another.
        to="/code/repos/$repositoryId"
        params={{ repositoryId: delivery.repo_id }}
        fw={550}
      >
        {delivery.full_name}
      </Anchor>
      <Dimmed size="xs">
        {delivery.event}
        {branches !== "" && ` to ${branches}`}
      </Dimmed>
    </>
  );
}

function Result({ delivery }: { readonly delivery: Delivery }) {
  const { label, tone } = STATUSES[delivery.status];
  return (
    <>
      <Status tone={tone}>{label}</Status>
      <Dimmed size="xs" mt={2} maw="50ch">
        <Jobs delivery={delivery} />
        {delivery.job_ids.length > 0 && delivery.reason !== "" && "; "}
        {delivery.reason}
      </Dimmed>
    </>
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
  const replay = useChange({
    send: () => replayDelivery(delivery.id),
    refreshes: [DELIVERIES_KEY],
    failed: (error) => failureTitle(error, "The delivery was not replayed"),
    onSuccess: ({ status, reason }) =>
      notifications.show({
        color: status === "accepted" ? "green" : "yellow",
        title: `The delivery was replayed and ${status}`,
        message: reason === "" ? "Its job is queued." : reason,
      }),
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
