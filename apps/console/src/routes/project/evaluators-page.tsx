import { Button, Modal } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { EvaluatorForm } from "#features/judges/components/evaluator-form.tsx";
import { EvaluatorList } from "#features/judges/components/evaluator-list.tsx";
import { projectQuery } from "#features/projects/api/projects.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/evaluators");

export function EvaluatorsPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const { data: project } = useQuery(projectQuery(projectId));
  const [isMaking, setMaking] = useState(false);
  return (
    <WidePage>
      <PageHeader title="Evaluators" description="Models and checks that judge what your agents did, by rules of yours.">
        {project !== undefined && project.my_role !== "viewer" && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setMaking(true)}>
            New evaluator
          </Button>
        )}
      </PageHeader>
      <EvaluatorList key={projectId} projectId={projectId} />
      {isMaking && (
        <Modal opened onClose={() => setMaking(false)} title="New evaluator" size="xl">
          <EvaluatorForm
            projectId={projectId}
            onSaved={({ id }) =>
              void navigate({ to: "/projects/$projectId/evaluators/$evaluatorId", params: { projectId, evaluatorId: id } })
            }
            onCancel={() => setMaking(false)}
          />
        </Modal>
      )}
    </WidePage>
  );
}
