import { Button, Text } from "@mantine/core";
import { type TruncatedValue, truncatedValueSchema } from "@sightline/observability/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { payloadQuery, useLoadWhole } from "#features/traces/api/payloads.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { formatCount } from "#ui/words/format.ts";
import { JsonView } from "#features/traces/json/json-view.tsx";
import classes from "./payload.module.css";

const JSON_HEIGHT = 440;

export type Of = { readonly projectId: string; readonly traceId: string };

export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

export function findLongValue(value: unknown): TruncatedValue | undefined {
  return truncatedValueSchema.safeParse(value).data;
}

/** A value as JSON, as it was captured; of a long one more can be loaded. */
export function JsonOf({ title, value, of }: { readonly title: string; readonly value: unknown; readonly of: Of }) {
  const onLoad = useLoadWhole(of);
  return <JsonView value={value} label={title} height={JSON_HEIGHT} fileName={`${title.toLowerCase()}.json`} compact onLoad={onLoad} />;
}

/** A value that is too long for the step's own answer, as text, range by range. */
export function LongValue({ title, value, of }: { readonly title: string; readonly value: TruncatedValue; readonly of: Of }) {
  const ranges = useInfiniteQuery({ ...payloadQuery(of, value), enabled: false });
  const pages = ranges.data?.pages;
  const read = pages?.at(-1)?.next_from ?? (pages === undefined ? 0 : value.characters);
  const next = pages === undefined ? () => ranges.refetch() : () => ranges.fetchNextPage();
  return (
    <div className={classes.payload}>
      <CopyableBlock text={pages === undefined ? value.preview : pages.map(({ text }) => text).join("")} label={title.toLowerCase()} />
      <Text component="div" size="sm" c="dimmed" mt={6} className={classes.more} role="status">
        {pages === undefined ? "The beginning" : formatCount(read)} of {formatCount(value.characters)} characters
        {(pages === undefined || ranges.hasNextPage) && (
          <Button size="compact-xs" variant="default" loading={ranges.isFetching} onClick={() => void next()}>
            Load more
          </Button>
        )}
        {ranges.error !== null && <Text c="var(--sl-bad)">{ranges.error.message}</Text>}
      </Text>
    </div>
  );
}
