import { Alert, Button, FileInput, Group, Modal, Stack, Text } from "@mantine/core";
import type { ImportedItems } from "@sightline/observability/contract";
import { IconFileImport } from "@tabler/icons-react";
import { useState } from "react";
import { datasetsKey, importFile } from "#features/datasets/api/datasets.ts";
import { ApiError } from "#http/api-error.ts";
import { useChange } from "#http/use-change.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { FailedChange } from "#ui/kit/failed-change.tsx";
import { formatExactCount, plural } from "#ui/words/format.ts";

type ImportDialogProps = { readonly projectId: string; readonly datasetId: string; readonly onClose: () => void };

/** Takes a file of items, chosen or dropped, which is one version or none. */
export function ImportDialog({ projectId, datasetId, onClose }: ImportDialogProps) {
  const [file, setFile] = useState<File | null>(null);
  const send = useChange({
    send: async (chosen: File, api) => api.request(await importFile(projectId, datasetId, chosen)),
    refreshes: [datasetsKey(projectId)],
    refreshesAlways: true,
  });
  const choose = (chosen: File | null) => {
    send.reset();
    setFile(chosen);
  };
  if (send.data !== undefined) {
    return (
      <Modal opened onClose={onClose} title="Import a file">
        <Imported {...send.data} />
        <Group justify="flex-end" mt="md">
          <Button data-autofocus onClick={onClose}>
            Done
          </Button>
        </Group>
      </Modal>
    );
  }
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title="Import a file"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        choose(event.dataTransfer.files[0] ?? null);
      }}
    >
      <DialogForm
        change={send}
        submit="Import"
        disabled={file === null}
        onSubmit={() => file !== null && send.mutate(file)}
        onCancel={onClose}
      >
        <Refused error={send.error} />
        <FileInput
          label="File"
          description="JSON lines (.jsonl) or CSV with a header (.csv), UTF-8, up to 256 MiB. Choose it, or drop it here."
          placeholder="items.jsonl"
          accept=".jsonl,.ndjson,.csv"
          leftSection={<IconFileImport size={16} />}
          clearable
          clearButtonProps={{ "aria-label": "Choose no file" }}
          value={file}
          onChange={choose}
        />
        <Text size="sm" c="dimmed">
          Fields and columns: input, expected, checks, metadata, split, required, id; in CSV also input.name, expected.name and
          metadata.name. A cell is JSON, or text as it is. An item with the id of one that is here changes it.
        </Text>
      </DialogForm>
    </Modal>
  );
}

function Refused({ error }: { readonly error: Error | null }) {
  if (!(error instanceof ApiError) || error.details.length === 0) {
    return <FailedChange error={error} title="The file was not imported" />;
  }
  return (
    <Alert color="red" role="alert" title="The file was not imported">
      {error.summary}
      <ul>
        {error.details.map((detail) => (
          <li key={detail}>{detail}</li>
        ))}
      </ul>
    </Alert>
  );
}

function Imported({ version, added, changed, unchanged, duplicates, first_duplicates: first }: ImportedItems) {
  const there = unchanged + duplicates;
  const lines = first.map(({ line }) => line).join(", ");
  return (
    <Alert
      color="green"
      role="status"
      title={
        added + changed === 0
          ? "Nothing was new"
          : `${plural(added, "item", "items")} added and ${formatExactCount(changed)} changed in version ${version}`
      }
    >
      <Stack gap={4}>
        {there > 0 && `${plural(there, "was", "were")} there already.`}
        {duplicates > 0 && (
          <Text size="sm">
            Of the same input and expected value as another: {duplicates > first.length ? "first of all lines" : "lines"} {lines}.
          </Text>
        )}
      </Stack>
    </Alert>
  );
}
