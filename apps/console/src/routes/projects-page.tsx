import { Button, Anchor, Badge, Group, Tooltip, Alert, Modal, Stack, TextInput } from "@mantine/core";
import { IconActivity, IconPlus, IconLock, IconUsersGroup } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { typedInto } from "#ui/kit/typed-into.ts";
import { projectsQuery, createProject } from "#features/projects/api/projects.ts";
import { EmptyPanel, ListOf } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";
import { type Project, type ProjectAccess, createProjectRequestSchema } from "@sightline/observability/contract";
import { ACCESS, ROLES } from "#features/projects/project-roles.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { asSentence, formatCount } from "#ui/words/format.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { useState } from "react";
import { useChange } from "#http/use-change.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { AccessChoice } from "#features/projects/components/access-choice.tsx";
import { SendTraces } from "#features/projects/components/send-traces.tsx";

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
      <Modal opened={asked !== undefined} onClose={() => ask(false)} size="xl" title="Create a project">
        <CreateProject onDone={() => ask(false)} />
      </Modal>
    </Page>
  );
}

function ProjectList({ onCreate }: { readonly onCreate: () => void }) {
  const projects = useQuery(projectsQuery);
  return (
    <ListOf
      list={projects}
      items={projects.data}
      failed="The projects could not be loaded"
      empty={
        <EmptyPanel
          icon={<IconActivity />}
          title="No project yet"
          description="Create one, give your agent its id, and see each trace here as it happens."
        >
          <Button onClick={onCreate}>Create a project</Button>
        </EmptyPanel>
      }
    >
      {(items) => <ProjectTable projects={items} />}
    </ListOf>
  );
}

function ProjectTable({ projects }: { readonly projects: readonly Project[] }) {
  return (
    <DataTable
      label="Projects"
      minWidth={760}
      highlightOnHover
      rows={projects}
      rowKey={({ id }) => id}
      columns={[
        {
          header: "Project",
          render: (project) => (
            <Group gap={8} wrap="nowrap">
              <Anchor component={Link} to="/projects/$projectId/traces" params={{ projectId: project.id }} fw={550}>
                {project.name}
              </Anchor>
              <Access project={project} />
            </Group>
          ),
        },
        { header: "Your role", render: (project) => ROLES[project.my_role].label },
        { header: "Id", render: ({ id }) => <CopyableId value={id} label="project id" /> },
        { header: "Traces in 24 h", align: "right", render: (project) => formatCount(project.recent_traces) },
        { header: "Last trace", render: (project) => <TimeStamp at={project.last_trace_at} none="none yet" /> },
        { header: "Created", render: (project) => <TimeStamp at={project.created_at} /> },
      ]}
    />
  );
}

function Access({ project: { access } }: { readonly project: Project }) {
  return (
    <Tooltip label={ACCESS[access].label}>
      <Badge
        flex="none"
        size="sm"
        variant="default"
        tt="none"
        fw={500}
        leftSection={access === "members" ? <IconLock size={11} /> : <IconUsersGroup size={11} />}
      >
        {access === "members" ? "Members" : "Everyone"}
      </Badge>
    </Tooltip>
  );
}

/** The form that was in the dialog before took the focus with it. */
const focusOn = (element: HTMLElement | null) => element?.focus();

function CreateProject({ onDone }: { readonly onDone: () => void }) {
  const [name, setName] = useState("");
  const [access, setAccess] = useState<ProjectAccess>("members");
  const [problem, setProblem] = useState<string>();
  const create = useChange({ send: () => createProject({ name, access }), refreshes: [projectsQuery.queryKey] });

  function submit(): void {
    const wrong = createProjectRequestSchema.safeParse({ name }).error?.issues[0]?.message;
    setProblem(wrong);
    if (wrong === undefined) {
      create.mutate();
    }
  }

  if (create.data !== undefined) {
    return (
      <Stack gap="md" ref={focusOn} tabIndex={-1} style={{ outline: "none" }}>
        <Alert color="green" title={`“${create.data.name}” is ready`} role="status">
          Three steps to its first trace. What is your agent made with?
        </Alert>
        <SendTraces projectId={create.data.id} />
        <Group justify="flex-end">
          <Button onClick={onDone}>Done</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <DialogForm change={create} submit="Create" onSubmit={submit} onCancel={onDone}>
      <TextInput
        label="Name"
        description="An application, or one environment of it"
        placeholder="Support agent, production"
        maxLength={200}
        {...typedInto(name, setName)}
        error={problem === undefined ? create.error?.message : asSentence(problem)}
        data-autofocus
      />
      <AccessChoice access={access} onChange={setAccess} />
    </DialogForm>
  );
}
