import { Box, Button, Paper } from "@mantine/core";
import { IconFilterOff, IconWebhook } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useApi } from "#http/api-context.ts";
import { EmptyPanel, ListError, LoadingList } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { type DeliveryFilter, deliveriesQuery } from "#features/webhooks/api/deliveries.ts";
import { DeliveryTable } from "./delivery-table.tsx";

export function DeliveryList({
  filter,
  mayReplay,
  recipe,
  onUnfiltered,
}: {
  readonly filter: DeliveryFilter;
  readonly mayReplay: boolean;
  /** How to set a webhook up, for who has none yet. */
  readonly recipe: ReactNode;
  readonly onUnfiltered: () => void;
}) {
  const list = useInfiniteQuery(deliveriesQuery(useApi(), filter));
  const deliveries = list.data?.pages.flatMap(({ items }) => items);
  if (deliveries === undefined) {
    return list.error === null ? (
      <LoadingList />
    ) : (
      <ListError title="The deliveries could not be loaded" error={list.error} onRetry={() => void list.refetch()} />
    );
  }
  if (deliveries.length > 0) {
    return (
      <>
        <Paper>
          <DeliveryTable deliveries={deliveries} mayReplay={mayReplay} />
        </Paper>
        <LoadMore list={list} />
      </>
    );
  }
  if (filter.status !== undefined || filter.repositoryId !== undefined) {
    return (
      <Paper>
        <EmptyPanel icon={<IconFilterOff />} title="No delivery matches" description="Try it with any status and any repository.">
          <Button variant="default" onClick={onUnfiltered}>
            Show all deliveries
          </Button>
        </EmptyPanel>
      </Paper>
    );
  }
  return (
    <Paper>
      <EmptyPanel
        icon={<IconWebhook />}
        title="No delivery yet"
        description="Until a webhook is set up, pushes are found by asking each repository's host every ten minutes."
      />
      <Box p="lg" pt={0}>
        {recipe}
      </Box>
    </Paper>
  );
}
