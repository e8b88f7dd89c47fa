import { Alert, Button, Group, Modal, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Project } from "@sightline/observability/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useState } from "react";
import { useApi } from "#http/api-context.ts";
import { deleteProject, projectsQuery } from "#features/projects/api/projects.ts";

export function DeleteProject({ project, onDeleted }: { readonly project: Project; readonly onDeleted: () => void }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <Paper p="lg" component="section">
      <Title order={2} mb="xs">
        Delete
      </Title>
      <Text size="sm" mb="md">
        Takes the project away with every trace, score, key and price in it. Nobody can bring it back.
      </Text>
      <Button color="red" variant="light" onClick={open}>
        Delete this project
      </Button>
      <Modal opened={opened} onClose={close} title="Delete this project?" closeButtonProps={{ "aria-label": "Close" }} centered>
        <Confirm project={project} onDeleted={onDeleted} onCancel={close} />
      </Modal>
    </Paper>
  );
}

function Confirm({
  project,
  onDeleted,
  onCancel,
}: {
  readonly project: Project;
  readonly onDeleted: () => void;
  readonly onCancel: () => void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const [typed, setTyped] = useState("");
  const confirmed = typed.trim() === project.name;
  const remove = useMutation({
    mutationFn: () => deleteProject(api, project.id),
    onSuccess: async () => {
      onDeleted();
      queries.removeQueries({ queryKey: ["projects", project.id] });
      await queries.invalidateQueries({ queryKey: projectsQuery(api).queryKey });
    },
  });

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    if (confirmed) {
      remove.mutate();
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {remove.error !== null && (
          <Alert color="red" role="alert" title="The project was not deleted">
            {remove.error.message}
          </Alert>
        )}
        <Text>
          Nobody sees its traces from this moment on, its API keys stop to work, and what is still sent to it is set aside. Stop the
          applications that send here first.
        </Text>
        <TextInput
          label={`Type ${project.name}`}
          value={typed}
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Keep it
          </Button>
          <Button type="submit" color="red" loading={remove.isPending} disabled={!confirmed}>
            Delete
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
