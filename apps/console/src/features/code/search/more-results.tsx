import { Button, Group, Text } from "@mantine/core";

type MoreResultsProps = {
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly error: Error | null;
    readonly fetchNextPage: () => Promise<unknown>;
    readonly refetch: () => Promise<unknown>;
  };
  readonly end: string;
};

/** The end of what was found so far. A page that can't follow the one before begins again: the index may have changed meanwhile. */
export function MoreResults({ list, end }: MoreResultsProps) {
  return (
    <Group justify="center" mt="md" mb="xl">
      {list.isFetchNextPageError ? (
        <>
          <Text size="sm" c="var(--sl-bad)" role="alert">
            {list.error?.message}
          </Text>
          <Button variant="default" onClick={() => void list.refetch()}>
            Search again
          </Button>
        </>
      ) : list.hasNextPage ? (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          More
        </Button>
      ) : (
        <Text size="sm" c="dimmed">
          {end}
        </Text>
      )}
    </Group>
  );
}
