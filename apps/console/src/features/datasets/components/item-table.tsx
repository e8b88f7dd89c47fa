import { Badge, Group, Text, UnstyledButton } from "@mantine/core";
import { type Item, type Json, describeCheck } from "@sightline/observability/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { itemsQuery } from "#features/datasets/api/datasets.ts";
import { inOneLine } from "#features/datasets/typed-value.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ListOf } from "#ui/kit/list-states.tsx";
import { ItemOrigin } from "#ui/page/item-origin.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./datasets.module.css";
import { ItemDialog } from "./item-dialog.tsx";

type ItemTableProps = {
  readonly projectId: string;
  readonly datasetId: string;
  /** An older version, as the address has it; without it the newest. */
  readonly version: string | undefined;
  readonly split: string | undefined;
  readonly onSplit: (split: string) => void;
  readonly mayChange: boolean;
  readonly empty: ReactNode;
  /** Below an item that is opened. */
  readonly renderComments: (itemId: string) => ReactNode;
};

/** The items of a version. One opens as a form, and to be read where it can't be changed. */
export function ItemTable({ projectId, datasetId, version, split, onSplit, mayChange, empty, renderComments }: ItemTableProps) {
  const asked = { ...(version === undefined ? {} : { version }), ...(split === undefined ? {} : { split }) };
  const list = useInfiniteQuery(itemsQuery(projectId, datasetId, asked));
  const [opened, setOpened] = useState<Item>();
  return (
    <>
      <ListOf list={list} items={list.data?.pages.flatMap(({ items }) => items)} failed="The items could not be loaded" empty={empty}>
        {(items) => (
          <DataTable
            label="Items"
            minWidth={860}
            highlightOnHover
            verticalSpacing="xs"
            rows={items}
            rowKey={({ id }) => id}
            columns={[
              {
                header: "Input",
                className: classes.value,
                render: (item) => (
                  <UnstyledButton className={classes.open ?? ""} onClick={() => setOpened(item)}>
                    <Value value={item.input} />
                  </UnstyledButton>
                ),
              },
              { header: "Expected", className: classes.value, render: ({ expected }) => <Value value={expected} /> },
              { header: "Checks", className: classes.checks, render: ({ checks }) => <Checks checks={checks} /> },
              { header: "Part", render: (item) => <Marks item={item} onSplit={onSplit} /> },
              { header: "From", td: { fz: "sm" }, render: ({ source }) => <ItemOrigin projectId={projectId} source={source} /> },
            ]}
          />
        )}
      </ListOf>
      {opened !== undefined && (
        <ItemDialog
          projectId={projectId}
          datasetId={datasetId}
          item={opened}
          mayChange={mayChange && version === undefined}
          onClose={() => setOpened(undefined)}
        >
          {renderComments(opened.id)}
        </ItemDialog>
      )}
    </>
  );
}

function Value({ value }: { readonly value: Json }) {
  return value === null ? (
    <Dimmed>nothing</Dimmed>
  ) : (
    <Text size="sm" lineClamp={3} className={classes.text ?? ""}>
      <SafeText text={inOneLine(value).slice(0, MAX_SHOWN)} />
    </Text>
  );
}

/** Three lines hold less. */
const MAX_SHOWN = 600;

function Checks({ checks }: Pick<Item, "checks">) {
  return checks.length === 0 ? (
    <Dimmed>none</Dimmed>
  ) : (
    <ul className={classes.list}>
      {checks.map((check, index) => (
        <li key={index}>
          <SafeText text={check.name ?? describeCheck(check)} />
        </li>
      ))}
    </ul>
  );
}

function Marks({ item: { required, split, source }, onSplit }: { readonly item: Item; readonly onSplit: (split: string) => void }) {
  const incomplete = source?.incomplete ?? [];
  return (
    <Group gap={6}>
      {required && (
        <Badge variant="default" tt="none" title="Must pass in every repetition, or the gate fails">
          required
        </Badge>
      )}
      {split !== null && (
        <Badge
          variant="light"
          tt="none"
          component="button"
          type="button"
          className={classes.split ?? ""}
          aria-label={`Only the split ${split}`}
          onClick={() => onSplit(split)}
        >
          {split}
        </Badge>
      )}
      {incomplete.length > 0 && (
        <Badge variant="default" tt="none" c="var(--sl-warn)" title={`Cut or masked when it was recorded: ${incomplete.join(", ")}`}>
          not whole
        </Badge>
      )}
    </Group>
  );
}
