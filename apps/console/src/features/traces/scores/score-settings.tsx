import { Button, Group, Modal, NumberInput, Paper, Select, TagsInput, Text, TextInput } from "@mantine/core";
import { putScoreConfigRequestSchema, type ScoreConfig } from "@sightline/observability/contract";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useChange } from "#http/use-change.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ConfirmDialog, DialogForm } from "#ui/kit/dialogs.tsx";
import { PanelHeader, PanelList } from "#ui/kit/panel.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { asSentence } from "#ui/words/format.ts";
import { deleteScoreConfig, putScoreConfig, scoreConfigsQuery } from "./score-configs.ts";
import { SCORE_TYPES, TYPE_OPTIONS } from "./score-types.ts";

type Config = Omit<ScoreConfig, "changed_at" | "changed_by">;
type Doing = { readonly what: "add" | "change" | "delete"; readonly config: Config };

const NEW: Config = { name: "", data_type: "number", direction: null, minimum: null, maximum: null, categories: [], target: null };

/** The score configs of a project: nobody gives "good" where others give 4. */
export function ScoreSettings({ projectId }: { readonly projectId: string }) {
  const configs = useQuery(scoreConfigsQuery(projectId));
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const remove = useChange({
    send: (name: string) => deleteScoreConfig(projectId, name),
    refreshes: [scoreConfigsQuery(projectId).queryKey],
    onSuccess: close,
  });
  return (
    <Paper component="section">
      <PanelHeader title="Scores" about="What a score's value may be. Scores that people and API keys give from then on are checked by it.">
        <Button leftSection={<IconPlus size={16} />} onClick={() => setDoing({ what: "add", config: NEW })}>
          Add a score
        </Button>
      </PanelHeader>
      <PanelList
        query={configs}
        items={configs.data}
        failed="The scores could not be loaded"
        empty="Any value is taken for any name. Add a score to say what its values may be."
      >
        {(items) => (
          <DataTable
            label="Scores"
            minWidth={560}
            isInPanel
            rows={items}
            rowKey={({ name }) => name}
            columns={[
              { header: "Name", td: { fw: 550 }, render: ({ name }) => name },
              { header: "Value", render: valuesOf },
              { header: "Better", render: betterOf },
              {
                header: "",
                width: 170,
                isPinned: true,
                render: (config) => (
                  <Group gap={6} justify="flex-end" wrap="nowrap">
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`Change ${config.name}`}
                      onClick={() => setDoing({ what: "change", config })}
                    >
                      Change
                    </Button>
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`Delete ${config.name}`}
                      onClick={() => setDoing({ what: "delete", config })}
                    >
                      Delete
                    </Button>
                  </Group>
                ),
              },
            ]}
          />
        )}
      </PanelList>
      {doing !== undefined && doing.what !== "delete" && (
        <ConfigDialog projectId={projectId} config={doing.config} isNew={doing.what === "add"} onClose={close} />
      )}
      <ConfirmDialog
        opened={doing?.what === "delete"}
        title={`Delete what “${doing?.config.name}” means?`}
        change={remove}
        failed="It was not deleted"
        onConfirm={() => doing !== undefined && remove.mutate(doing.config.name)}
        onClose={close}
      >
        <Text>Scores that were given stay. Any value is taken from now on.</Text>
      </ConfirmDialog>
    </Paper>
  );
}

function betterOf({ data_type: type, direction }: Config): string {
  return direction === null ? "–" : type === "number" ? direction : direction === "higher" ? "yes" : "no";
}

/** `Number, 1 to 5`, `Category: good, bad`. */
function valuesOf({ data_type: type, minimum, maximum, categories }: Config): string {
  const range = minimum === null && maximum === null ? "" : `, ${minimum ?? "any"} to ${maximum ?? "any"}`;
  return `${SCORE_TYPES[type]}${range}${categories.length === 0 ? "" : `: ${categories.join(", ")}`}`;
}

type ConfigDialogProps = { readonly projectId: string; readonly config: Config; readonly isNew: boolean; readonly onClose: () => void };

function ConfigDialog({ projectId, config, isNew, onClose }: ConfigDialogProps) {
  const [given, setGiven] = useState(config);
  const [problem, setProblem] = useState<string>();
  const set = (part: Partial<Config>) => setGiven({ ...given, ...part });
  const save = useChange({
    send: () => putScoreConfig(projectId, { ...given, name: given.name.trim() }),
    refreshes: [scoreConfigsQuery(projectId).queryKey],
    onSuccess: onClose,
  });
  const submit = () => {
    const wrong = putScoreConfigRequestSchema.safeParse(given).error?.issues[0]?.message;
    setProblem(wrong);
    if (wrong === undefined) {
      save.mutate();
    }
  };
  const isNumber = given.data_type === "number";
  return (
    <Modal opened onClose={onClose} title={isNew ? "Add a score" : `Change ${config.name}`}>
      <DialogForm change={save} failed="It was not saved" submit="Save" onSubmit={submit} onCancel={onClose}>
        <TextInput
          label="Name"
          placeholder="helpful"
          maxLength={200}
          disabled={!isNew}
          data-autofocus={isNew || undefined}
          {...typedInto(given.name, (name) => set({ name }))}
          error={problem && asSentence(problem)}
        />
        <Select
          label="Kind of value"
          data={TYPE_OPTIONS}
          value={given.data_type}
          allowDeselect={false}
          onChange={(type) => type !== null && setGiven({ ...NEW, name: given.name, data_type: type })}
        />
        {isNumber && (
          <Group grow>
            <NumberInput
              label="Least"
              value={given.minimum ?? ""}
              onChange={(value) => set({ minimum: value === "" ? null : Number(value) })}
            />
            <NumberInput
              label="Greatest"
              value={given.maximum ?? ""}
              onChange={(value) => set({ maximum: value === "" ? null : Number(value) })}
            />
          </Group>
        )}
        {given.data_type === "category" && (
          <TagsInput
            label="Categories"
            description="Without any, every text is taken."
            value={given.categories}
            onChange={(categories) => set({ categories })}
          />
        )}
        {(isNumber || given.data_type === "boolean") && (
          <Select
            label="Better is"
            placeholder="neither"
            clearable
            data={[
              { value: "higher", label: isNumber ? "higher" : "yes" },
              { value: "lower", label: isNumber ? "lower" : "no" },
            ]}
            value={given.direction}
            onChange={(direction) => set({ direction })}
          />
        )}
      </DialogForm>
    </Modal>
  );
}
