import { Anchor, Button } from "@mantine/core";
import { IconPencilCheck, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { queuesQuery } from "#features/annotation/api/annotation.ts";
import { NewQueue } from "#features/annotation/components/new-queue.tsx";
import { datasetsQuery } from "#features/datasets/api/datasets.ts";
import { projectQuery } from "#features/projects/api/projects.ts";
import { scoreConfigsQuery } from "#features/traces/scores/score-configs.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { EmptyPanel, ListOf } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";
import { formatExactCount } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/annotation");

export function AnnotationPage() {
  const { projectId } = route.useParams();
  const { data: project } = useQuery(projectQuery(projectId));
  const { data: configs = [] } = useQuery(scoreConfigsQuery(projectId));
  const { data: datasets = [] } = useQuery(datasetsQuery(projectId));
  const queues = useQuery(queuesQuery(projectId));
  const [isMaking, setMaking] = useState(false);
  return (
    <WidePage>
      <PageHeader title="Annotation" description="Traces that people label, without seeing each other's labels.">
        {project !== undefined && project.my_role !== "viewer" && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setMaking(true)}>
            New queue
          </Button>
        )}
      </PageHeader>
      <ListOf
        list={queues}
        items={queues.data}
        failed="The queues could not be loaded"
        empty={
          <EmptyPanel
            icon={<IconPencilCheck />}
            title="No queues yet"
            description="A queue gives each of its traces to as many people as you say, and makes scores of their labels."
          />
        }
      >
        {(items) => (
          <DataTable
            label="Queues"
            minWidth={640}
            rows={items}
            rowKey={({ id }) => id}
            columns={[
              {
                header: "Queue",
                render: ({ id, name }) => (
                  <Anchor component={Link} to="/projects/$projectId/annotation/$queueId" params={{ projectId, queueId: id }} fw={550}>
                    <SafeText text={name} />
                  </Anchor>
                ),
              },
              { header: "Scores", render: ({ scores }) => <SafeText text={scores.join(", ")} /> },
              { header: "Done", align: "right", render: ({ done, traces }) => `${formatExactCount(done)} of ${formatExactCount(traces)}` },
              { header: "For you", align: "right", render: ({ for_you: count }) => formatExactCount(count) },
              { header: "Disagreements", align: "right", render: ({ disputed }) => formatExactCount(disputed) },
            ]}
          />
        )}
      </ListOf>
      {isMaking && <NewQueue projectId={projectId} configs={configs} datasets={datasets} onClose={() => setMaking(false)} />}
    </WidePage>
  );
}
