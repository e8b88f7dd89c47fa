import { Badge, Button, Group, Text, Tooltip } from "@mantine/core";
import type { Price } from "@sightline/observability/contract";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatCost, formatDate } from "#ui/words/format.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { formatUtc } from "#ui/time/time-stamp.tsx";

type PriceTableProps = {
  readonly rows: readonly (Price & { readonly counts: boolean })[];
  readonly mayChange: boolean;
  readonly onEdit: (price: Price) => void;
  readonly onRemove: (price: Price) => void;
};

export function PriceTable({ rows, mayChange, onEdit, onRemove }: PriceTableProps) {
  return (
    <DataTable
      label="Prices"
      minWidth={680}
      isInPanel
      highlightOnHover
      verticalSpacing="xs"
      horizontalSpacing="sm"
      rows={rows}
      rowKey={(price) => `${price.model} ${price.valid_from} ${price.source === null}`}
      rowProps={({ counts }) => (counts ? {} : { c: "dimmed" })}
      columns={[
        {
          header: "Model",
          render: (price) => (
            <Group gap={6} wrap="nowrap">
              <Text span inherit fw={550}>
                {price.model}
              </Text>
              {price.source === null && (
                <Badge size="xs" variant="light">
                  Own
                </Badge>
              )}
            </Group>
          ),
        },
        { header: "Input", align: "right", render: (price) => formatCost(price.input) },
        { header: "Output", align: "right", render: (price) => formatCost(price.output) },
        { header: "Cache read", align: "right", render: (price) => <CachePrice amount={price.cache_read} /> },
        { header: "Cache write", align: "right", render: (price) => <CachePrice amount={price.cache_write} /> },
        { header: "Since", render: (price) => <Since price={price} /> },
        mayChange && {
          header: "Actions",
          isHidden: true,
          width: 140,
          render: (price) => (
            <Group gap={6} wrap="nowrap" justify="flex-end">
              <Button
                size="compact-xs"
                variant="default"
                aria-label={price.source === null ? `Edit the price of ${price.model}` : `Set own price of ${price.model}`}
                onClick={() => onEdit(price)}
              >
                {price.source === null ? "Edit" : "Set own"}
              </Button>
              {price.source === null && (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Remove the price of ${price.model} since ${price.valid_from}`}
                  onClick={() => onRemove(price)}
                >
                  Remove
                </Button>
              )}
            </Group>
          ),
        },
      ]}
    />
  );
}

function CachePrice({ amount }: { readonly amount: number | null }) {
  if (amount !== null) {
    return <>{formatCost(amount)}</>;
  }
  return (
    <Tooltip label="The same as input">
      <span>–</span>
    </Tooltip>
  );
}

function Since({ price: { source, valid_from: validFrom, counts } }: { readonly price: Price & { readonly counts: boolean } }) {
  if (source !== null) {
    return (
      <Tooltip label={`Default: ${source}`} multiline maw={360}>
        <Dimmed span>{counts ? "default" : "default, replaced"}</Dimmed>
      </Tooltip>
    );
  }
  const time = new Date(validFrom);
  return (
    <Tooltip label={formatUtc(time)}>
      <time dateTime={validFrom}>{formatDate(time)}</time>
    </Tooltip>
  );
}
