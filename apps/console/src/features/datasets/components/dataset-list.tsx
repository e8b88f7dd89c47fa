import { Anchor } from "@mantine/core";
import { IconDatabase } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { datasetsQuery } from "#features/datasets/api/datasets.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { EmptyPanel, ListOf } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatExactCount } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";

/** The datasets of a project; `children` are ways to make the first one. */
export function DatasetList({ projectId, children }: { readonly projectId: string; readonly children: ReactNode }) {
  const list = useQuery(datasetsQuery(projectId));
  return (
    <ListOf
      list={list}
      items={list.data}
      failed="The datasets could not be loaded"
      empty={
        <>
          <EmptyPanel
            icon={<IconDatabase />}
            title="No datasets yet"
            description="A dataset holds inputs with what is expected of your agent. Experiments run the agent over it, so that you see whether a change made it better or worse."
          />
          {children}
        </>
      }
    >
      {(items) => (
        <DataTable
          label="Datasets"
          minWidth={640}
          highlightOnHover
          rows={items}
          rowKey={({ id }) => id}
          columns={[
            {
              header: "Dataset",
              render: ({ id, name, description }) => (
                <>
                  <Anchor component={Link} to="/projects/$projectId/datasets/$datasetId" params={{ projectId, datasetId: id }} fw={550}>
                    <SafeText text={name} />
                  </Anchor>
                  {description !== "" && <Dimmed lineClamp={1}>{description}</Dimmed>}
                </>
              ),
            },
            { header: "Items", align: "right", render: ({ items: count }) => formatExactCount(count) },
            { header: "Version", align: "right", render: ({ version }) => (version === 0 ? "–" : formatExactCount(version)) },
            { header: "Changed", render: ({ changed_at: at }) => <TimeStamp at={at} /> },
          ]}
        />
      )}
    </ListOf>
  );
}
