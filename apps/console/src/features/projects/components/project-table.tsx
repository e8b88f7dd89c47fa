import { Anchor, Badge, Group, Tooltip } from "@mantine/core";
import type { Project } from "@sightline/observability/contract";
import { IconLock, IconUsersGroup } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { ACCESS, ROLES } from "#features/projects/project-roles.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { formatCount } from "#ui/words/format.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";

export function ProjectTable({ projects }: { readonly projects: readonly Project[] }) {
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
