import { Modal, Text } from "@mantine/core";
import type { ItemChange } from "@sightline/observability/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { changesQuery } from "#features/datasets/api/datasets.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ListOf } from "#ui/kit/list-states.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./datasets.module.css";

type VersionChangesProps = {
  readonly projectId: string;
  readonly datasetId: string;
  readonly version: number;
  readonly onClose: () => void;
};

/** What a version added, changed and took away. */
export function VersionChanges({ projectId, datasetId, version, onClose }: VersionChangesProps) {
  const list = useInfiniteQuery(changesQuery(projectId, datasetId, version));
  return (
    <Modal opened onClose={onClose} size="xl" title={`Changes of version ${version}`}>
      <ListOf
        list={list}
        items={list.data?.pages.flatMap(({ items }) => items)}
        failed="The changes could not be loaded"
        empty={<Dimmed p="lg">Nothing is left of what changed.</Dimmed>}
      >
        {(changes) => (
          <DataTable
            label="Changes"
            minWidth={560}
            rows={changes}
            rowKey={({ id }) => id}
            columns={[
              { header: "Change", render: ({ state }) => state },
              { header: "Input", className: classes.value, render: ({ before, after }) => <Value value={(after ?? before)?.input} /> },
              { header: "What", className: classes.value, render: (change) => <Fields {...change} /> },
            ]}
          />
        )}
      </ListOf>
    </Modal>
  );
}

function Fields({ fields, before, after }: ItemChange) {
  return fields.map((field) => (
    <Text key={field} size="sm" component="div">
      <b>{field}:</b> <Value value={before?.[field]} /> → <Value value={after?.[field]} />
    </Text>
  ));
}

const MAX_SHOWN = 300;

function Value({ value }: { readonly value: unknown }) {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return <SafeText text={text.slice(0, MAX_SHOWN)} />;
}
