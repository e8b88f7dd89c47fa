import { Button, Text, Title } from "@mantine/core";
import { type TruncatedValue, truncatedValueSchema } from "@sightline/observability/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { payloadQuery, useLoadWhole } from "#features/traces/api/payloads.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { formatCount } from "#ui/words/format.ts";
import { JsonView } from "#features/traces/json/json-view.tsx";
import classes from "./payload.module.css";

const JSON_HEIGHT = 440;

type Of = { readonly projectId: string; readonly traceId: string };

export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/** A value as it was captured: text as text, anything else as JSON; nothing at all when there is none. Of a long one more can be loaded. */
export function Payload({ title, value, of }: { readonly title: string; readonly value: unknown; readonly of: Of }) {
  if (value === null || isNothing(value)) {
    return null;
  }
  const long = truncatedValueSchema.safeParse(value);
  return (
    <section className={classes.payload}>
      <Title order={3} mb="xs">
        {title}
      </Title>
      {long.success ? (
        <LongValue title={title} value={long.data} of={of} />
      ) : typeof value === "object" ? (
        <Json title={title} value={value} of={of} />
      ) : (
        <CopyableBlock text={typeof value === "string" ? value : JSON.stringify(value)} label={title.toLowerCase()} />
      )}
    </section>
  );
}

function Json({ title, value, of }: { readonly title: string; readonly value: object; readonly of: Of }) {
  const onLoad = useLoadWhole(of);
  return <JsonView value={value} label={title} height={JSON_HEIGHT} fileName={`${title.toLowerCase()}.json`} compact onLoad={onLoad} />;
}

function LongValue({ title, value, of }: { readonly title: string; readonly value: TruncatedValue; readonly of: Of }) {
  const ranges = useInfiniteQuery({ ...payloadQuery(of, value), enabled: false });
  const pages = ranges.data?.pages;
  const read = pages?.at(-1)?.next_from ?? (pages === undefined ? 0 : value.characters);
  const next = pages === undefined ? () => ranges.refetch() : () => ranges.fetchNextPage();
  return (
    <>
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
    </>
  );
}
