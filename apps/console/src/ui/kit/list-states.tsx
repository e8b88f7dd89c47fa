import { Button, EmptyState, Paper, Skeleton, Stack } from "@mantine/core";
import { IconAlertTriangle, IconFilterOff, IconRefresh } from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import classes from "./list-states.module.css";
import { LoadMore } from "./load-more.tsx";

/** Rows of the list that is on its way. */
export function LoadingRows({ rows = 5, height = 44 }: { readonly rows?: number; readonly height?: number }) {
  return (
    <Stack gap="xs" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={classes.line} style={{ height }}>
          <Skeleton height={12} width={LENGTHS[row % LENGTHS.length]} radius="xl" />
        </div>
      ))}
    </Stack>
  );
}

/** Skeleton widths that look like text. */
const LENGTHS = ["72%", "54%", "64%", "46%", "68%", "58%"];

/** Stands in place of a page's table, as tall as a few rows of it. */
export function LoadingList() {
  return (
    <Paper role="status" aria-label="Loading">
      {WIDTHS.map((width, row) => (
        <div key={row} className={classes.row}>
          <Skeleton height={12} width={width} radius="xl" />
          <Skeleton height={12} width="16%" radius="xl" />
          <Skeleton height={12} width="10%" radius="xl" />
        </div>
      ))}
    </Paper>
  );
}

/** Skeleton widths that look like names. */
const WIDTHS = ["12%", "30%", "24%", "34%", "27%", "31%"];

/** Mantine's are as wide as the longest word in them. */
const WITHIN = { body: classes.within ?? "", actions: classes.within ?? "" };

type EmptyPanelProps = {
  readonly icon: ReactNode;
  readonly title: string;
  /** 1 where it is all there is of the page. */
  readonly order?: 1 | 2;
  readonly description: ReactNode;
  readonly children?: ReactNode;
};

export function EmptyPanel({ icon, title, description, order = 2, children }: EmptyPanelProps) {
  return (
    <EmptyState py={56} px="md" withIndicatorBackground icon={icon} classNames={WITHIN}>
      <EmptyState.Title order={order}>{title}</EmptyState.Title>
      <EmptyState.Description maw={480}>{description}</EmptyState.Description>
      {children !== undefined && <EmptyState.Actions>{children}</EmptyState.Actions>}
    </EmptyState>
  );
}

type NoMatchProps = { readonly title: string; readonly description: string; readonly all: string; readonly onAll: () => void };

/** For a list in which nothing fits the filter; `all` is the button that takes the filter away. */
export function NoMatch({ title, description, all, onAll }: NoMatchProps) {
  return (
    <EmptyPanel icon={<IconFilterOff />} title={title} description={description}>
      <Button variant="default" onClick={onAll}>
        {all}
      </Button>
    </EmptyPanel>
  );
}

type ErrorStateProps = {
  readonly title: string;
  /** 1 where it is all there is of the page. */
  readonly order?: 1 | 2;
  readonly error: unknown;
  /** Undefined where trying again can't help. */
  readonly onRetry?: (() => void) | undefined;
  readonly retryLabel?: string;
  /** Other ways on. */
  readonly children?: ReactNode;
};

export function ErrorState({ title, error, order = 2, onRetry, retryLabel = "Try again", children }: ErrorStateProps) {
  return (
    <EmptyState py={40} px="md" role="alert" variant="light" color="red" icon={<IconAlertTriangle />} classNames={WITHIN}>
      <EmptyState.Title order={order}>{title}</EmptyState.Title>
      <EmptyState.Description maw={520}>{error instanceof Error ? error.message : String(error)}</EmptyState.Description>
      {(onRetry !== undefined || children !== undefined) && (
        <EmptyState.Actions>
          {onRetry !== undefined && (
            <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={onRetry}>
              {retryLabel}
            </Button>
          )}
          {children}
        </EmptyState.Actions>
      )}
    </EmptyState>
  );
}

/** Stands in place of a page's table. */
export function ListError(props: ComponentProps<typeof ErrorState>) {
  return (
    <Paper>
      <ErrorState {...props} />
    </Paper>
  );
}

export type Query = { readonly error: Error | null; readonly refetch: () => Promise<unknown> };

type UnansweredProps = {
  readonly query: Query;
  /** Heads the reason. */
  readonly failed: string;
  /** The skeleton; undefined where a page's table is the default. */
  readonly loading?: ReactNode;
};

/** Stands in place of what a query has not answered yet, and says that it is loading or why it did not come. */
export function Unanswered({ query, failed, loading }: UnansweredProps) {
  if (query.error === null) {
    return loading ?? <LoadingList />;
  }
  const Failed = loading === undefined ? ListError : ErrorState;
  return <Failed title={failed} error={query.error} onRetry={() => void query.refetch()} />;
}

/** A page's list: on its way, failed, empty, or there, with a way to more of it where it comes page by page. */
export function ListOf<Item>({
  list,
  items,
  failed,
  empty,
  children,
}: {
  readonly list: Query | (Query & ComponentProps<typeof LoadMore>["list"]);
  readonly items: readonly Item[] | undefined;
  readonly failed: string;
  readonly empty: ReactNode;
  readonly children: (items: readonly Item[]) => ReactNode;
}) {
  if (items === undefined) {
    return <Unanswered query={list} failed={failed} />;
  }
  return (
    <>
      <Paper>{items.length === 0 ? empty : children(items)}</Paper>
      {items.length > 0 && "fetchNextPage" in list && <LoadMore list={list} />}
    </>
  );
}
