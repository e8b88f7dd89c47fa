import { Anchor, Badge, Group, Table, Text, Tooltip } from "@mantine/core";
import type { Project } from "@sightline/observability/contract";
import { IconLock, IconUsersGroup } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { ACCESS, ROLES } from "#features/projects/project-roles.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { formatCount } from "#ui/words/format.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";

export function ProjectTable({ projects }: { readonly projects: readonly Project[] }) {
  return (
    <Table.ScrollContainer minWidth={760} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Projects" } }}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Project</Table.Th>
            <Table.Th>Your role</Table.Th>
            <Table.Th>Id</Table.Th>
            <Table.Th ta="right">Traces in 24 h</Table.Th>
            <Table.Th>Last trace</Table.Th>
            <Table.Th>Created</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {projects.map((project) => (
            <Table.Tr key={project.id}>
              <Table.Td>
                <Group gap={8} wrap="nowrap">
                  <Anchor component={Link} to="/projects/$projectId/traces" params={{ projectId: project.id }} fw={550}>
                    {project.name}
                  </Anchor>
                  <Access project={project} />
                </Group>
              </Table.Td>
              <Table.Td>{ROLES[project.my_role].label}</Table.Td>
              <Table.Td>
                <CopyableId value={project.id} label="project id" />
              </Table.Td>
              <Table.Td ta="right">{formatCount(project.recent_traces)}</Table.Td>
              <Table.Td>
                {project.last_trace_at === null ? (
                  <Text inherit c="dimmed">
                    none yet
                  </Text>
                ) : (
                  <TimeStamp at={project.last_trace_at} />
                )}
              </Table.Td>
              <Table.Td>
                <TimeStamp at={project.created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
