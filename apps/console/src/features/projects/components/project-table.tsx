import { Anchor, Table, Text } from "@mantine/core";
import type { Project } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import { CopyableId } from "#ui/copyable.tsx";
import { formatCount } from "#ui/format.ts";
import { TimeStamp } from "#ui/time-stamp.tsx";

export function ProjectTable({ projects }: { readonly projects: readonly Project[] }) {
  return (
    <Table.ScrollContainer minWidth={620} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Projects" } }}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Project</Table.Th>
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
                <Anchor component={Link} to="/projects/$projectId/traces" params={{ projectId: project.id }} fw={550}>
                  {project.name}
                </Anchor>
              </Table.Td>
              <Table.Td>
                <CopyableId value={project.id} label="project id" />
              </Table.Td>
              <Table.Td ta="right">{formatCount(project.recent_traces)}</Table.Td>
              <Table.Td>
                {project.last_trace_at === null ? <Text c="dimmed">none yet</Text> : <TimeStamp at={project.last_trace_at} />}
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
