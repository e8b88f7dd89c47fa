import { Anchor } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { versionsQuery } from "#features/datasets/api/datasets.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ListOf } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatExactCount } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./datasets.module.css";
import { VersionChanges } from "./version-changes.tsx";

type VersionTableProps = {
  readonly projectId: string;
  readonly datasetId: string;
  readonly nameAuthor: (author: string) => ReactNode;
};

/** Every version: who made it, why, and what it changed. One leads to the items that it has. */
export function VersionTable({ projectId, datasetId, nameAuthor }: VersionTableProps) {
  const list = useInfiniteQuery(versionsQuery(projectId, datasetId));
  const [shown, setShown] = useState<number>();
  return (
    <>
      {shown !== undefined && (
        <VersionChanges projectId={projectId} datasetId={datasetId} version={shown} onClose={() => setShown(undefined)} />
      )}
      <ListOf
        list={list}
        items={list.data?.pages.flatMap(({ items }) => items)}
        failed="The versions could not be loaded"
        empty={<Dimmed p="lg">No versions yet: the first item makes the first one.</Dimmed>}
      >
        {(versions) => (
          <DataTable
            label="Versions"
            minWidth={620}
            highlightOnHover
            rows={versions}
            rowKey={({ version }) => version}
            columns={[
              {
                header: "Version",
                render: ({ version }) => (
                  <Anchor
                    component={Link}
                    fw={550}
                    to="/projects/$projectId/datasets/$datasetId"
                    params={{ projectId, datasetId }}
                    search={{ version: String(version) }}
                  >
                    {formatExactCount(version)}
                  </Anchor>
                ),
              },
              {
                header: "Items",
                className: classes.counts,
                render: ({ version, added, changed, deleted }) => (
                  <>
                    <span title="added">+{formatExactCount(added)}</span> <span title="changed">~{formatExactCount(changed)}</span>{" "}
                    <span title="deleted">−{formatExactCount(deleted)}</span>{" "}
                    <Anchor
                      component="button"
                      type="button"
                      fz="sm"
                      aria-label={`Changes of version ${version}`}
                      onClick={() => setShown(version)}
                    >
                      Changes
                    </Anchor>
                  </>
                ),
              },
              { header: "Why", render: ({ reason }) => (reason === "" ? <Dimmed>no reason given</Dimmed> : <SafeText text={reason} />) },
              { header: "Who", render: ({ author }) => nameAuthor(author) },
              { header: "When", render: ({ made_at: at }) => <TimeStamp at={at} /> },
            ]}
          />
        )}
      </ListOf>
    </>
  );
}
