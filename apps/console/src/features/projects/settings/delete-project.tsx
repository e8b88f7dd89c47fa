import { Paper, Text, Title } from "@mantine/core";
import type { Project } from "@sightline/observability/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useApi } from "#http/api-context.ts";
import { deleteProject, projectsQuery } from "#features/projects/api/projects.ts";
import { DeleteByName } from "#ui/kit/delete-by-name.tsx";

export function DeleteProject({ project, onDeleted }: { readonly project: Project; readonly onDeleted: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  return (
    <Paper p="lg" component="section">
      <Title order={2} mb="xs">
        Delete
      </Title>
      <Text size="sm" mb="md">
        Takes the project away with every trace, score, key and price in it. Nobody can bring it back.
      </Text>
      <DeleteByName
        what="project"
        name={project.name}
        remove={() => api.request(deleteProject(project.id))}
        onDeleted={async () => {
          onDeleted();
          queries.removeQueries({ queryKey: ["projects", project.id] });
          await queries.invalidateQueries({ queryKey: projectsQuery.queryKey });
        }}
      >
        Nobody sees its traces from this moment on, its API keys stop to work, and what is still sent to it is set aside. Stop the
        applications that send here first.
      </DeleteByName>
    </Paper>
  );
}
