import { Alert, Button, Group, Tabs, Text } from "@mantine/core";
import type { Dataset } from "@sightline/observability/contract";
import { IconDatabaseX, IconFileImport, IconPencil, IconPlus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { Comments } from "#features/comments/components/comments.tsx";
import { datasetQuery, datasetsKey, deleteDataset, exportOf } from "#features/datasets/api/datasets.ts";
import { DatasetDialog } from "#features/datasets/components/dataset-dialog.tsx";
import { ImportDialog } from "#features/datasets/components/import-dialog.tsx";
import { ItemDialog } from "#features/datasets/components/item-dialog.tsx";
import { ItemTable } from "#features/datasets/components/item-table.tsx";
import { VersionTable } from "#features/datasets/components/version-table.tsx";
import { WaysToFill } from "#features/datasets/components/ways-to-fill.tsx";
import { ExperimentList } from "#features/experiments/components/experiment-list.tsx";
import { HowToRun } from "#features/experiments/components/how-to-run.tsx";
import { ScoreHistory } from "#features/experiments/components/score-history.tsx";
import { projectQuery } from "#features/projects/api/projects.ts";
import { AuthorName } from "#features/projects/components/author-name.tsx";
import { useApi } from "#http/api-context.ts";
import { DeleteByName } from "#ui/kit/delete-by-name.tsx";
import { ExportButton } from "#ui/kit/export-button.tsx";
import { NoMatch } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { plural } from "#ui/words/format.ts";
import { PageOfOne } from "./page-skeletons.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/datasets/$datasetId");

export function DatasetPage() {
  const { projectId, datasetId } = route.useParams();
  const dataset = useQuery(datasetQuery(projectId, datasetId));
  return (
    <PageOfOne
      what="dataset"
      projectId={projectId}
      query={dataset}
      icon={<IconDatabaseX />}
      gone="It was deleted, with its items and experiments."
    >
      {(found) => <WholeDataset key={datasetId} dataset={found} />}
    </PageOfOne>
  );
}

const nameAuthor = (author: string) => <AuthorName author={author} />;

const FORMATS = ["jsonl", "csv"] as const;
const TABS = ["items", "versions", "experiments", "history"] as const;

function WholeDataset({ dataset }: { readonly dataset: Dataset }) {
  const { projectId } = route.useParams();
  const { show, version, split, branch, score } = route.useSearch();
  const navigate = route.useNavigate();
  const api = useApi();
  const { data: project } = useQuery(projectQuery(projectId));
  const [dialog, setDialog] = useState<"item" | "change" | "import">();
  const mayChange = project !== undefined && project.my_role !== "viewer";
  const shown = TABS.find((tab) => tab === show) ?? "items";
  // The newest by its number is what is changed as well as without it.
  const older = version === String(dataset.version) ? undefined : version;
  const here = { projectId, datasetId: dataset.id };
  const close = () => setDialog(undefined);
  return (
    <>
      <PageHeader
        title={dataset.name}
        documentTitle={`${dataset.name} · Dataset`}
        description={
          <>
            {dataset.description !== "" && <Text inherit>{dataset.description}</Text>}
            {plural(dataset.items, "item", "items")}
            {dataset.version > 0 && `, version ${dataset.version}`}, changed <TimeStamp at={dataset.changed_at} />
          </>
        }
      >
        {mayChange && (
          <>
            <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => setDialog("change")}>
              Edit
            </Button>
            <Button leftSection={<IconPlus size={16} />} onClick={() => setDialog("item")}>
              Add item
            </Button>
          </>
        )}
      </PageHeader>
      <Tabs
        value={shown}
        keepMounted={false}
        onChange={(tab) => void navigate({ search: tab === "items" ? {} : { show: tab ?? undefined }, resetScroll: false })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="items">Items</Tabs.Tab>
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
          <Tabs.Tab value="experiments">Experiments</Tabs.Tab>
          <Tabs.Tab value="history">Scores over commits</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="items">
          <Group justify="flex-end" gap="xs" mb="md">
            {mayChange && (
              <Button variant="default" leftSection={<IconFileImport size={16} />} onClick={() => setDialog("import")}>
                Import
              </Button>
            )}
            {dataset.version > 0 &&
              FORMATS.map((format) => (
                <ExportButton
                  key={format}
                  label={`Export as ${format.toUpperCase()}`}
                  name={dataset.name}
                  extension={format}
                  failed="The items were not exported"
                  download={(signal) => api.download({ ...exportOf(projectId, dataset.id, { format, version: older, split }), signal })}
                />
              ))}
          </Group>
          {(older !== undefined || split !== undefined) && (
            <Alert
              mb="md"
              title={`Only ${[older !== undefined && `version ${older}`, split !== undefined && `the split ${split}`].filter(Boolean).join(", ")}`}
            >
              <Button size="compact-sm" variant="default" onClick={() => void navigate({ search: {}, resetScroll: false })}>
                Show all items of the newest version
              </Button>
            </Alert>
          )}
          <ItemTable
            {...here}
            version={older}
            split={split}
            onSplit={(only) => void navigate({ search: (before) => ({ ...before, split: only }), resetScroll: false })}
            mayChange={mayChange}
            renderComments={(id) => <Comments projectId={projectId} about={{ subject: "item", within_id: dataset.id, subject_id: id }} />}
            empty={
              older === undefined && split === undefined ? (
                <>
                  <Text ta="center" fw={550} pt="xl" pb="md">
                    No items yet. How they get in:
                  </Text>
                  <WaysToFill projectId={projectId} dataset={dataset} />
                </>
              ) : (
                <NoMatch
                  title="No items here"
                  description="This version or split has none."
                  all="Show all items"
                  onAll={() => void navigate({ search: {} })}
                />
              )
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <VersionTable {...here} nameAuthor={nameAuthor} />
        </Tabs.Panel>
        <Tabs.Panel value="experiments">
          <ExperimentList {...here} empty={<HowToRun projectId={projectId} dataset={dataset.name} />} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <ScoreHistory
            {...here}
            branch={branch}
            score={score}
            onChoose={(chosen) => void navigate({ search: (before) => ({ ...before, ...chosen }), resetScroll: false })}
            empty={
              branch === undefined ? (
                <HowToRun projectId={projectId} dataset={dataset.name} />
              ) : (
                <NoMatch
                  title={`No finished experiments of ${branch}`}
                  description="None was run to its end on this branch."
                  all="Show all branches"
                  onAll={() => void navigate({ search: { show: "history" } })}
                />
              )
            }
          />
        </Tabs.Panel>
      </Tabs>
      {mayChange && <DeleteDataset dataset={dataset} />}
      {dialog === "import" && <ImportDialog {...here} onClose={close} />}
      {dialog === "item" && <ItemDialog {...here} mayChange onClose={close} />}
      {dialog === "change" && <DatasetDialog projectId={projectId} dataset={dataset} onClose={close} />}
    </>
  );
}

function DeleteDataset({ dataset: { id, name } }: { readonly dataset: Dataset }) {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const api = useApi();
  const queries = useQueryClient();
  return (
    <Group justify="flex-end" mt="xl">
      <DeleteByName
        what="dataset"
        name={name}
        remove={() => api.request(deleteDataset(projectId, id))}
        onDeleted={async () => {
          await navigate({ to: "/projects/$projectId/datasets", params: { projectId } });
          await queries.invalidateQueries({ queryKey: datasetsKey(projectId) });
        }}
      >
        Permanently deletes all versions of its items, and every experiment that was run over it.
      </DeleteByName>
    </Group>
  );
}
