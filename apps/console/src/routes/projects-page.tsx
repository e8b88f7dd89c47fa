import { Button, Paper } from "@mantine/core";
import { IconActivity, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { projectsQuery } from "#features/projects/api/projects.ts";
import { CreateProjectModal } from "#features/projects/components/create-project.tsx";
import { ProjectTable } from "#features/projects/components/project-table.tsx";
import { EmptyPanel, Unanswered } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/projects");

export function ProjectsPage() {
  const { new: asked } = route.useSearch();
  const navigate = route.useNavigate();
  const ask = (wanted: boolean) => void navigate({ search: { new: wanted ? "1" : undefined }, replace: true, resetScroll: false });
  const open = () => ask(true);
  return (
    <Page>
      <PageHeader title="Projects" description="A project holds the traces of one application: what its agents did, step by step.">
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          Create a project
        </Button>
      </PageHeader>
      <ProjectList onCreate={open} />
      <CreateProjectModal opened={asked !== undefined} onClose={() => ask(false)} />
    </Page>
  );
}

function ProjectList({ onCreate }: { readonly onCreate: () => void }) {
  const projects = useQuery(projectsQuery);
  if (projects.data === undefined) {
    return <Unanswered query={projects} failed="The projects could not be loaded" />;
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
