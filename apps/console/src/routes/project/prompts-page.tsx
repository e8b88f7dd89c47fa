import { getRouteApi } from "@tanstack/react-router";
import { PromptEditor } from "#features/prompts/components/prompt-editor.tsx";
import { PromptList } from "#features/prompts/components/prompt-list.tsx";
import { PageOfMany } from "./page-skeletons.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/prompts");

export function PromptsPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  return (
    <PageOfMany
      projectId={projectId}
      title="Prompts"
      description="What your code asks models, in versions that never change."
      make="New prompt"
      renderDialog={(close) => (
        <PromptEditor
          projectId={projectId}
          onSaved={({ prompt_id: promptId }) =>
            void navigate({ to: "/projects/$projectId/prompts/$promptId", params: { projectId, promptId } })
          }
          onClose={close}
        />
      )}
    >
      <PromptList key={projectId} projectId={projectId} />
    </PageOfMany>
  );
}
