import { Button, Paper } from "@mantine/core";
import { IconActivity, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { projectsQuery } from "#features/projects/api/projects.ts";
import { CreateProjectModal } from "#features/projects/components/create-project.tsx";
import { ProjectTable } from "#features/projects/components/project-table.tsx";
import { useApi } from "#http/api-context.ts";
import { EmptyPanel, ErrorState, LoadingRows } from "#ui/list-states.tsx";
import { PageHeader } from "#ui/page-header.tsx";
import { Page } from "#ui/page.tsx";
import { getRouteApi } from "@tanstack/react-router";

const route = getRouteApi("/signed-in/projects");

export function ProjectsPage() {
  // In the address, so that other places can lead to it.
  const opened = route.useSearch().create !== undefined;
  const navigate = route.useNavigate();
  const open = () => void navigate({ search: { create: "yes" }, resetScroll: false });
  const close = () => void navigate({ search: {}, replace: true, resetScroll: false });
  return (
    <Page>
      <PageHeader title="Projects" description="A project holds the traces of one application: what its agents did, step by step.">
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          Create a project
        </Button>
      </PageHeader>
      <ProjectList onCreate={open} />
      <CreateProjectModal opened={opened} onClose={close} />
    </Page>
  );
}

function ProjectList({ onCreate }: { readonly onCreate: () => void }) {
  const projects = useQuery(projectsQuery(useApi()));
  if (projects.data === undefined) {
    return projects.error === null ? (
      <LoadingRows />
    ) : (
      <ErrorState title="The projects could not be loaded" error={projects.error} onRetry={() => void projects.refetch()} />
    );
  }
  return (
    <Paper>
      {projects.data.length === 0 ? (
        <EmptyPanel
          icon={<IconActivity />}
          title="No project yet"
          description="Create one, give your agent its id, and see each run here as it happens."
        >
          <Button onClick={onCreate}>Create a project</Button>
        </EmptyPanel>
      ) : (
        <ProjectTable projects={projects.data} />
      )}
    </Paper>
  );
}
