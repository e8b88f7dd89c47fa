import { Button, Group, Modal, NativeSelect, Paper, PasswordInput, Text, TextInput } from "@mantine/core";
import {
  createModelConnectionRequestSchema,
  MODEL_PROVIDERS,
  type ModelConnection,
  type ModelProvider,
  PROVIDER_URLS,
} from "@sightline/observability/contract";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { connectionsKey, connectionsQuery, createConnection, deleteConnection, testConnection } from "#features/judges/api/judges.ts";
import { useChange } from "#http/use-change.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ConfirmDialog, DialogForm } from "#ui/kit/dialogs.tsx";
import { PanelHeader, PanelList } from "#ui/kit/panel.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { asSentence } from "#ui/words/format.ts";
import { Status } from "#ui/words/status.tsx";

const LABELS: Readonly<Record<ModelProvider, string>> = { "openai-compatible": "OpenAI-compatible", anthropic: "Anthropic" };

type Props = { readonly projectId: string; readonly mayChange: boolean; readonly mayEnterAddress: boolean };
type Doing = { readonly what: "test" | "delete"; readonly connection: ModelConnection };

/** The models that judges ask; keys are entered and never shown. */
export function ModelSettings({ projectId, mayChange, mayEnterAddress }: Props) {
  const connections = useQuery(connectionsQuery(projectId));
  const [isAdding, setAdding] = useState(false);
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const remove = useChange({
    send: (id: string) => deleteConnection(projectId, id),
    refreshes: [connectionsKey(projectId)],
    onSuccess: close,
  });
  const buttonOf = (what: Doing["what"], label: string, connection: ModelConnection) => (
    <Button size="xs" variant="default" aria-label={`${label} ${connection.name}`} onClick={() => setDoing({ what, connection })}>
      {label}
    </Button>
  );
  return (
    <Paper component="section">
      <PanelHeader title="Models" about="Models that evaluators ask. Keys are kept sealed, and shown to nobody.">
        {mayChange && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
            Add a connection
          </Button>
        )}
      </PanelHeader>
      <PanelList
        query={connections}
        items={connections.data}
        failed="The connections could not be loaded"
        empty={`No connections yet.${mayChange ? " Add one to have traces judged." : " An owner can add one."}`}
      >
        {(items) => (
          <DataTable
            label="Connections"
            minWidth={600}
            isInPanel
            rows={items}
            rowKey={({ id }) => id}
            columns={[
              { header: "Name", td: { fw: 550 }, render: ({ name }) => name },
              { header: "Provider", render: ({ provider }) => LABELS[provider] },
              { header: "Address", render: ({ base_url: url }) => url },
              { header: "Key", render: ({ has_key: has }) => (has ? "set" : "none") },
              mayChange && {
                header: "Actions",
                isHidden: true,
                render: (connection) => (
                  <Group gap={6} justify="flex-end" wrap="nowrap">
                    {buttonOf("test", "Test", connection)}
                    {buttonOf("delete", "Delete", connection)}
                  </Group>
                ),
              },
            ]}
          />
        )}
      </PanelList>
      {isAdding && <AddConnection projectId={projectId} mayEnterAddress={mayEnterAddress} onClose={() => setAdding(false)} />}
      {doing?.what === "test" && <TestConnection projectId={projectId} connection={doing.connection} onClose={close} />}
      <ConfirmDialog
        opened={doing?.what === "delete"}
        title={`Delete “${doing?.connection.name ?? ""}”?`}
        change={remove}
        failed="It was not deleted"
        onConfirm={() => doing !== undefined && remove.mutate(doing.connection.id)}
        onClose={close}
      >
        <Text>Its key is gone with it. Evaluators that use it skip every trace until they have a version with another connection.</Text>
      </ConfirmDialog>
    </Paper>
  );
}

type DialogProps = { readonly projectId: string; readonly onClose: () => void };

function TestConnection({ projectId, connection, onClose }: DialogProps & { readonly connection: ModelConnection }) {
  const [model, setModel] = useState("");
  const test = useChange({ send: () => testConnection(projectId, connection.id, model) });
  return (
    <Modal opened onClose={onClose} title={`Test “${connection.name}”`}>
      <DialogForm
        change={test}
        failed="It was not tested"
        submit="Test"
        cancel="Close"
        disabled={model.trim() === ""}
        onSubmit={() => test.mutate()}
        onCancel={onClose}
      >
        <TextInput
          label="Model"
          description="It is asked one short question."
          data-autofocus
          maxLength={200}
          spellCheck={false}
          {...typedInto(model, setModel)}
        />
        <div role="status">
          {test.data !== undefined && (
            <Status tone={test.data.works ? "ok" : "bad"}>
              {test.data.problem ?? "It answered with the structured output that judges need."}
            </Status>
          )}
        </div>
      </DialogForm>
    </Modal>
  );
}

/** The key is in this component's memory only, and gone with it. */
function AddConnection({ projectId, mayEnterAddress, onClose }: DialogProps & Pick<Props, "mayEnterAddress">) {
  const [draft, setDraft] = useState({ name: "", provider: MODEL_PROVIDERS[0] as ModelProvider, base_url: "", key: "" });
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const create = useChange({
    send: (body: Parameters<typeof createConnection>[1]) => createConnection(projectId, body),
    gcTime: 0,
    refreshes: [connectionsKey(projectId)],
    onSuccess: onClose,
  });

  function submit(): void {
    const typed = Object.entries(draft).flatMap(([field, value]) => (value.trim() === "" ? [] : [[field, value.trim()]]));
    const { data, error } = createModelConnectionRequestSchema.safeParse({ name: "", ...Object.fromEntries(typed) });
    setProblems(new Map((error?.issues ?? []).map(({ path: [field = ""], message }) => [String(field), asSentence(message)])));
    if (data !== undefined) {
      create.mutate(data);
    }
  }

  const field = (name: "name" | "base_url" | "key") => ({
    ...typedInto(draft[name], (next) => setDraft({ ...draft, [name]: next })),
    error: problems.get(name),
    autoComplete: "off",
    spellCheck: false,
  });
  return (
    <Modal opened onClose={onClose} title="Add a connection">
      <DialogForm change={create} failed="It was not added" submit="Add" onSubmit={submit} onCancel={onClose}>
        <NativeSelect
          label="Provider"
          data={MODEL_PROVIDERS.map((value) => ({ value, label: LABELS[value] }))}
          value={draft.provider}
          onChange={({ currentTarget }) =>
            setDraft({ ...draft, provider: MODEL_PROVIDERS.find((each) => each === currentTarget.value) ?? draft.provider })
          }
        />
        <TextInput label="Name" data-autofocus maxLength={100} {...field("name")} />
        {mayEnterAddress && (
          <TextInput
            label="Address"
            description="Where it is asked, if not at the provider’s own."
            placeholder={PROVIDER_URLS[draft.provider]}
            {...field("base_url")}
          />
        )}
        <PasswordInput label="Key" description="Left empty where the server asks for none." {...field("key")} />
      </DialogForm>
    </Modal>
  );
}
