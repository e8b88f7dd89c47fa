import { Paper } from "@mantine/core";
import type { Project } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { maskingQuery } from "#features/projects/api/masking.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { MaskingForm } from "./masking-form.tsx";
import { OwnersOnly } from "./owners-only.tsx";

export function MaskingSettings({ project }: { readonly project: Project }) {
  return project.my_role === "owner" ? (
    <OwnedMasking projectId={project.id} />
  ) : (
    <OwnersOnly project={project} what="see and change what is masked" />
  );
}

function OwnedMasking({ projectId }: { readonly projectId: string }) {
  const masking = useQuery(maskingQuery(projectId));
  if (masking.data !== undefined) {
    return <MaskingForm projectId={projectId} saved={masking.data} />;
  }
  return <Paper p="lg">{<Unanswered query={masking} failed="The rules could not be loaded" loading={<LoadingRows />} />}</Paper>;
}
