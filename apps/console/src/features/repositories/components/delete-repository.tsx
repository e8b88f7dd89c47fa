import { Alert, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Repository } from "@sightline/code-index/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useState } from "react";
import { useApi } from "#http/api-context.ts";
import { deleteRepository, repositoriesQuery } from "#features/repositories/api/repositories.ts";

export function DeleteRepository({ repository, onDeleted }: { readonly repository: Repository; readonly onDeleted: () => void }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button color="red" variant="light" onClick={open}>
        Delete this repository
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={`Delete ${repository.full_name}?`}
        closeButtonProps={{ "aria-label": "Close" }}
        centered
      >
        <Confirm repository={repository} onDeleted={onDeleted} onCancel={close} />
      </Modal>
    </>
  );
}

function Confirm({
  repository,
  onDeleted,
  onCancel,
}: {
  readonly repository: Repository;
  readonly onDeleted: () => void;
  readonly onCancel: () => void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const [typed, setTyped] = useState("");
  const confirmed = typed.trim() === repository.full_name;
  const remove = useMutation({
    mutationFn: () => deleteRepository(api, repository.id),
    onSuccess: async () => {
      onDeleted();
      await queries.invalidateQueries({ queryKey: repositoriesQuery(api).queryKey });
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
          <Alert color="red" role="alert" title="The repository was not deleted">
            {remove.error.message}
          </Alert>
        )}
        <Text>
          Nobody finds its code from this moment on, and its index, jobs and deliveries are deleted. Its source stays where it is; it can be
          registered again.
        </Text>
        <TextInput
          label={`Type ${repository.full_name}`}
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
