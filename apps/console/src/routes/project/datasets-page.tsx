import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { DatasetDialog } from "#features/datasets/components/dataset-dialog.tsx";
import { DatasetList } from "#features/datasets/components/dataset-list.tsx";
import { WaysToFill } from "#features/datasets/components/ways-to-fill.tsx";
import { projectQuery } from "#features/projects/api/projects.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/datasets");

export function DatasetsPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const { data: project } = useQuery(projectQuery(projectId));
  const [isMaking, setMaking] = useState(false);
  return (
    <WidePage>
      <PageHeader title="Datasets" description="Inputs with what is expected, to run your agent over before a change goes out.">
        {project !== undefined && project.my_role !== "viewer" && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setMaking(true)}>
            New dataset
          </Button>
        )}
      </PageHeader>
      <DatasetList key={projectId} projectId={projectId}>
        <WaysToFill projectId={projectId} />
      </DatasetList>
      {isMaking && (
        <DatasetDialog
          projectId={projectId}
          onSaved={({ id }) => void navigate({ to: "/projects/$projectId/datasets/$datasetId", params: { projectId, datasetId: id } })}
          onClose={() => setMaking(false)}
        />
      )}
    </WidePage>
  );
}
