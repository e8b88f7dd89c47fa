import { Modal } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { EvaluatorForm } from "#features/judges/components/evaluator-form.tsx";
import { EvaluatorList } from "#features/judges/components/evaluator-list.tsx";
import { PageOfMany } from "./page-skeletons.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/evaluators");

export function EvaluatorsPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  return (
    <PageOfMany
      projectId={projectId}
      title="Evaluators"
      description="Models and checks that judge what your agents did, by rules of yours."
      make="New evaluator"
      renderDialog={(close) => (
        <Modal opened onClose={close} title="New evaluator" size="xl">
          <EvaluatorForm
            projectId={projectId}
            onSaved={({ id }) =>
              void navigate({ to: "/projects/$projectId/evaluators/$evaluatorId", params: { projectId, evaluatorId: id } })
            }
            onCancel={close}
          />
        </Modal>
      )}
    >
      <EvaluatorList key={projectId} projectId={projectId} />
    </PageOfMany>
  );
}
