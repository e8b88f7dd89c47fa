import { Dimmed } from "#ui/kit/dimmed.tsx";
import { Button, Group, Text } from "@mantine/core";

/** The end of a list that comes page by page. */
export function LoadMore({
  list,
}: {
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly error: Error | null;
    readonly fetchNextPage: () => Promise<unknown>;
  };
}) {
  return (
    <Group justify="center" mt="md">
      {list.isFetchNextPageError && (
        <Text size="sm" c="var(--sl-bad)" role="alert">
          {list.error?.message}
        </Text>
      )}
      {list.hasNextPage ? (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {list.isFetchNextPageError ? "Try again" : "Load more"}
        </Button>
      ) : (
        <Dimmed>That's all of them.</Dimmed>
      )}
    </Group>
  );
}
