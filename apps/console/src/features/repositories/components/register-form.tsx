import { Alert, Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { registerRepositoryRequestSchema } from "@sightline/code-index/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useState } from "react";
import { useApi } from "#http/api-context.ts";
import { registerRepository, repositoriesQuery } from "#features/repositories/api/repositories.ts";

export function RegisterModal({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Register a repository" closeButtonProps={{ "aria-label": "Close" }} centered>
      <RegisterForm onDone={onClose} />
    </Modal>
  );
}

function RegisterForm({ onDone }: { readonly onDone: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [fullName, setFullName] = useState("");
  const [cloneUrl, setCloneUrl] = useState("");
  const [problem, setProblem] = useState<string>();
  const register = useMutation({
    mutationFn: () =>
      registerRepository(api, { full_name: fullName.trim(), ...(cloneUrl.trim() === "" ? {} : { clone_url: cloneUrl.trim() }) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: repositoriesQuery(api).queryKey });
      onDone();
    },
  });

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    const wrong = registerRepositoryRequestSchema.shape.full_name.safeParse(fullName.trim()).error;
    setProblem(wrong === undefined ? undefined : "Write it as owner/repo");
    if (wrong === undefined) {
      register.mutate();
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {register.error !== null && (
          <Alert color="red" role="alert" title="The repository was not registered">
            {register.error.message}
          </Alert>
        )}
        <TextInput
          label="Name"
          description="owner/repo; people and assistants will find it under this name"
          placeholder="acme/webshop"
          value={fullName}
          error={problem}
          data-autofocus
          autoCapitalize="off"
          spellCheck={false}
          onChange={(event) => setFullName(event.currentTarget.value)}
        />
        <TextInput
          label="Clone URL"
          description="Left empty, it is fetched from GitHub under its name"
          placeholder={`https://github.com/${fullName.trim() === "" ? "acme/webshop" : fullName.trim()}.git`}
          value={cloneUrl}
          autoCapitalize="off"
          spellCheck={false}
          onChange={(event) => setCloneUrl(event.currentTarget.value)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={register.isPending}>
            Register and index
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
