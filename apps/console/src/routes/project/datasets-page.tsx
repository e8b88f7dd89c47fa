import { getRouteApi } from "@tanstack/react-router";
import { DatasetDialog } from "#features/datasets/components/dataset-dialog.tsx";
import { DatasetList } from "#features/datasets/components/dataset-list.tsx";
import { WaysToFill } from "#features/datasets/components/ways-to-fill.tsx";
import { PageOfMany } from "./page-skeletons.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/datasets");

export function DatasetsPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  return (
    <PageOfMany
      projectId={projectId}
      title="Datasets"
      description="Inputs with what is expected, to run your agent over before a change goes out."
      make="New dataset"
      renderDialog={(close) => (
        <DatasetDialog
          projectId={projectId}
          onSaved={({ id }) => void navigate({ to: "/projects/$projectId/datasets/$datasetId", params: { projectId, datasetId: id } })}
          onClose={close}
        />
      )}
    >
      <DatasetList key={projectId} projectId={projectId}>
        <WaysToFill projectId={projectId} />
      </DatasetList>
    </PageOfMany>
  );
}
