import { Badge, Button, Group, Table, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import type { Price } from "@sightline/observability/contract";
import { formatCost, formatDate } from "#ui/words/format.ts";
import panel from "#ui/kit/panel-table.module.css";
import { utcOf } from "#ui/time/time-stamp.tsx";

export function PriceTable({
  rows,
  mayChange,
  onEdit,
  onRemove,
}: {
  readonly rows: readonly (Price & { readonly counts: boolean })[];
  readonly mayChange: boolean;
  readonly onEdit: (price: Price) => void;
  readonly onRemove: (price: Price) => void;
}) {
  return (
    <Table.ScrollContainer minWidth={680} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Prices" } }}>
      <Table highlightOnHover verticalSpacing="xs" horizontalSpacing="sm" className={panel.table ?? ""}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Model</Table.Th>
            <Table.Th ta="right">Input</Table.Th>
            <Table.Th ta="right">Output</Table.Th>
            <Table.Th ta="right">Cache read</Table.Th>
            <Table.Th ta="right">Cache write</Table.Th>
            <Table.Th>Since</Table.Th>
            {mayChange && (
              <Table.Th w={140}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((price) => (
            <Table.Tr key={`${price.model} ${price.valid_from} ${price.source === null}`} {...(price.counts ? {} : { c: "dimmed" })}>
              <Table.Td>
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
              </Table.Td>
              <Table.Td ta="right">{formatCost(price.input)}</Table.Td>
              <Table.Td ta="right">{formatCost(price.output)}</Table.Td>
              <Table.Td ta="right">
                <CachePrice amount={price.cache_read} />
              </Table.Td>
              <Table.Td ta="right">
                <CachePrice amount={price.cache_write} />
              </Table.Td>
              <Table.Td>
                <Since price={price} />
              </Table.Td>
              {mayChange && (
                <Table.Td>
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
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
        <Text span size="sm" c="dimmed">
          {counts ? "default" : "default, replaced"}
        </Text>
      </Tooltip>
    );
  }
  const time = new Date(validFrom);
  return (
    <Tooltip label={utcOf(time)}>
      <time dateTime={validFrom}>{formatDate(time)}</time>
    </Tooltip>
  );
}
