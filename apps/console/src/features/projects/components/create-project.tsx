import { Alert, Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type ProjectAccess, createProjectRequestSchema } from "@sightline/observability/contract";
import { useState } from "react";
import { useChange } from "#http/use-change.ts";
import { createProject, projectsQuery } from "#features/projects/api/projects.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { AccessChoice } from "./access-choice.tsx";
import { SendTraces } from "./send-traces.tsx";

export function CreateProjectModal({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} size="xl" title="Create a project">
      <CreateProject onDone={onClose} />
    </Modal>
  );
}

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
      <Stack gap="md">
        <Alert color="green" title={`“${create.data.name}” is ready`} role="status">
          Its first trace appears here as soon as your agent runs with these settings.
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
        value={name}
        error={problem ?? create.error?.message}
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <AccessChoice access={access} onChange={setAccess} />
    </DialogForm>
  );
}
