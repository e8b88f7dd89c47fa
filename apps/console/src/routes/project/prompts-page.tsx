import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { projectQuery } from "#features/projects/api/projects.ts";
import { PromptEditor } from "#features/prompts/components/prompt-editor.tsx";
import { PromptList } from "#features/prompts/components/prompt-list.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/prompts");

export function PromptsPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const { data: project } = useQuery(projectQuery(projectId));
  const [isMaking, setMaking] = useState(false);
  return (
    <WidePage>
      <PageHeader title="Prompts" description="What your code asks models, in versions that never change.">
        {project !== undefined && project.my_role !== "viewer" && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setMaking(true)}>
            New prompt
          </Button>
        )}
      </PageHeader>
      <PromptList key={projectId} projectId={projectId} />
      {isMaking && (
        <PromptEditor
          projectId={projectId}
          onSaved={({ prompt_id: promptId }) =>
            void navigate({ to: "/projects/$projectId/prompts/$promptId", params: { projectId, promptId } })
          }
          onClose={() => setMaking(false)}
        />
      )}
    </WidePage>
  );
}
