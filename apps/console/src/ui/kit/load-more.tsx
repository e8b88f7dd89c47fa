import { Button, Group, Text } from "@mantine/core";

type LoadMoreProps = {
  readonly list: {
    readonly data?: { readonly pages: readonly unknown[] } | undefined;
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly error: Error | null;
    readonly fetchNextPage: () => Promise<unknown>;
    readonly refetch: () => Promise<unknown>;
  };
  /** For what was searched: a page that can't follow the one before begins again, since the index may have changed meanwhile. */
  readonly endOfResults?: string;
};

/** The end of a list that comes page by page; one that came whole at first has its end before everyone's eyes. */
export function LoadMore({ list, endOfResults }: LoadMoreProps) {
  const isSearch = endOfResults !== undefined;
  if (!list.hasNextPage && !list.isFetchNextPageError && (list.data?.pages.length ?? 0) < 2) {
    return null;
  }
  return (
    <Group justify="center" mt="md" {...(isSearch ? { mb: "xl" } : {})}>
      {list.isFetchNextPageError && (
        <Text size="sm" c="var(--sl-bad)" role="alert">
          {list.error?.message}
        </Text>
      )}
      {list.isFetchNextPageError && isSearch ? (
        <Button variant="default" onClick={() => void list.refetch()}>
          Search again
        </Button>
      ) : list.hasNextPage ? (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {isSearch ? "More" : list.isFetchNextPageError ? "Try again" : "Load more"}
        </Button>
      ) : (
        <Dimmed>{endOfResults ?? "No more results."}</Dimmed>
      )}
    </Group>
  );
}
import { Dimmed } from "#ui/words/dimmed.tsx";
