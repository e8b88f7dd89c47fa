import { Fieldset, Group, NativeSelect, NumberInput, SegmentedControl, Stack, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import { JUDGED_PARTS, judgeDefinitionSchema, type JudgeDefinition, listPlaceholders } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { connectionsQuery, judgesKey, saveJudge } from "#features/judges/api/judges.ts";
import { TEMPLATES } from "#features/judges/templates.ts";
import { useChange } from "#http/use-change.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { asSentence } from "#ui/words/format.ts";
import { ChecksForm, type EvaluatorFormProps } from "./checks-form.tsx";
import { TryEvaluator } from "./try-evaluator.tsx";

type Variable = JudgeDefinition["variables"][number];

const NEW: JudgeDefinition = {
  connection_id: "",
  model: "",
  rubric: "",
  variables: [],
  output: { type: "boolean" },
  temperature: null,
  max_tokens: 1_000,
};
const OUTPUTS = [
  { value: "boolean", label: "true or false" },
  { value: "number", label: "a number" },
  { value: "category", label: "a category" },
  { value: "preference", label: "which of two runs is better" },
];

const KINDS = [
  { value: "judge", label: "Judge by a model" },
  { value: "checks", label: "Checks" },
];

/** Asks for an evaluator: its model and rubric, or its checks, tried on traces before it is kept. */
export function EvaluatorForm(form: EvaluatorFormProps) {
  const [kind, setKind] = useState(form.judge?.definition.kind ?? "judge");
  const Form = kind === "checks" ? ChecksForm : JudgeForm;
  return (
    <>
      {form.judge === undefined && (
        <SegmentedControl
          mb="md"
          aria-label="Kind"
          data={KINDS}
          value={kind}
          onChange={(value) => setKind(value === "checks" ? value : "judge")}
        />
      )}
      <Form {...form} />
    </>
  );
}

function JudgeForm({ projectId, judge, onSaved, onCancel }: EvaluatorFormProps) {
  const connections = useQuery(connectionsQuery(projectId)).data ?? [];
  const [name, setName] = useState(judge?.name ?? "");
  const [draft, setDraft] = useState(judge === undefined || judge.definition.kind === "checks" ? NEW : judge.definition);
  const change = (fields: Partial<JudgeDefinition>) => setDraft({ ...draft, ...fields });
  // One row for each `{{name}}` of the rubric: nothing is left over, and nothing is missing.
  const of = draft.output.type === "preference" ? "run" : "trace";
  const variables = listPlaceholders(draft.rubric).map(
    (used): Variable => draft.variables.find((variable) => variable.name === used) ?? { name: used, of, step: null, path: `/${used}` },
  );
  const changeVariable = (changed: Variable) =>
    change({ variables: variables.map((each) => (each.name === changed.name ? changed : each)) });
  const read = judgeDefinitionSchema.safeParse({ ...draft, connection_id: draft.connection_id || connections[0]?.id, variables });
  const problems = new Map((read.error?.issues ?? []).map(({ path: [field = ""], message }) => [String(field), asSentence(message)]));
  const [isShown, setShown] = useState(false);
  const problemOf = (field: string) => (isShown ? problems.get(field) : undefined);
  const save = useChange({
    send: (definition: JudgeDefinition) => saveJudge(projectId, judge?.id, { name, definition }),
    refreshes: [judgesKey(projectId)],
    onSuccess: onSaved,
  });

  function submit(): void {
    setShown(true);
    if (read.success && name.trim() !== "") {
      save.mutate(read.data);
    }
  }

  return (
    <DialogForm
      change={save}
      failed="It was not saved"
      submit={judge === undefined ? "Create" : "Save as a new version"}
      onSubmit={submit}
      onCancel={onCancel}
    >
      {judge === undefined && (
        <Group align="flex-start" grow>
          <NativeSelect
            label="Begin with"
            data={[{ value: "", label: "an empty rubric" }, ...Object.entries(TEMPLATES).map(([value, { label }]) => ({ value, label }))]}
            onChange={({ currentTarget: { value } }) => {
              const { rubric, variables: mapped, output } = TEMPLATES[value] ?? NEW;
              setName(value);
              change({ rubric, variables: mapped, output });
            }}
          />
          <TextInput
            label="Name"
            description="Of its scores, too."
            maxLength={200}
            autoComplete="off"
            {...typedInto(name, setName)}
            error={isShown && name.trim() === "" ? "Give it a name." : undefined}
          />
        </Group>
      )}
      <Group align="flex-start" grow>
        <NativeSelect
          label="Connection"
          data={connections.map(({ id, name: label }) => ({ value: id, label }))}
          value={draft.connection_id}
          onChange={({ currentTarget }) => change({ connection_id: currentTarget.value })}
          error={connections.length === 0 ? "Add one under Settings, Models." : undefined}
        />
        <TextInput
          label="Model"
          maxLength={200}
          spellCheck={false}
          {...typedInto(draft.model, (model) => change({ model }))}
          error={problemOf("model")}
        />
      </Group>
      <Textarea
        label="Rubric"
        description="What is good and what is not. {{output}} stands for what is judged."
        autosize
        minRows={6}
        maxRows={20}
        {...typedInto(draft.rubric, (rubric) => change({ rubric }))}
        error={problemOf("rubric")}
      />
      {variables.length > 0 && (
        <Fieldset legend="What stands for what">
          <Stack gap="xs">
            {variables.map((variable) => (
              <VariableRow key={variable.name} variable={variable} onChange={changeVariable} />
            ))}
            {problemOf("variables") !== undefined && <Text c="var(--sl-bad)">{problemOf("variables")}</Text>}
            <Dimmed>
              A trace has /input, /output, /error, /metadata and /tools; a run of an experiment /input, /expected and /output, of two that
              are compared /first and /second.
            </Dimmed>
          </Stack>
        </Fieldset>
      )}
      <Group align="flex-start">
        <NativeSelect
          label="It answers with"
          data={OUTPUTS}
          value={draft.output.type}
          onChange={({ currentTarget: { value } }) =>
            change({
              output:
                value === "number"
                  ? { type: value, minimum: 0, maximum: 1 }
                  : value === "category"
                    ? { type: value, categories: [] }
                    : value === "preference"
                      ? { type: value }
                      : NEW.output,
            })
          }
        />
        <OutputFields output={draft.output} onChange={(output) => change({ output })} />
        <NumberInput
          label="Tokens at the most"
          w={150}
          min={50}
          max={16_000}
          value={draft.max_tokens}
          onChange={(most) => change({ max_tokens: Number(most) })}
          error={problemOf("max_tokens")}
        />
      </Group>
      {problemOf("output") !== undefined && <Text c="var(--sl-bad)">{problemOf("output")}</Text>}
      {read.success && of === "trace" && <TryEvaluator projectId={projectId} definition={read.data} />}
    </DialogForm>
  );
}

function VariableRow({ variable, onChange }: { readonly variable: Variable; readonly onChange: (variable: Variable) => void }) {
  return (
    <Group gap="xs">
      <Text w={130} ff="monospace">{`{{${variable.name}}}`}</Text>
      <NativeSelect
        aria-label={`${variable.name} is of`}
        data={[...JUDGED_PARTS]}
        value={variable.of}
        onChange={({ currentTarget }) => {
          const of = JUDGED_PARTS.find((part) => part === currentTarget.value) ?? "trace";
          onChange({ ...variable, of, step: of === "step" ? "" : null });
        }}
      />
      {variable.step !== null && (
        <TextInput
          aria-label={`Step of ${variable.name}`}
          placeholder="its name"
          {...typedInto(variable.step, (step) => onChange({ ...variable, step }))}
        />
      )}
      <TextInput
        flex="1 1 160px"
        aria-label={`Path of ${variable.name}`}
        placeholder="all of it"
        spellCheck={false}
        {...typedInto(variable.path, (path) => onChange({ ...variable, path }))}
      />
    </Group>
  );
}

type OutputProps = { readonly output: JudgeDefinition["output"]; readonly onChange: (output: JudgeDefinition["output"]) => void };

function OutputFields({ output, onChange }: OutputProps) {
  if (output.type === "category") {
    return (
      <TagsInput
        label="Categories"
        flex="1 1 240px"
        value={output.categories}
        onChange={(categories) => onChange({ ...output, categories })}
      />
    );
  }
  return output.type === "number" ? (
    <>
      <NumberInput label="From" w={90} value={output.minimum} onChange={(minimum) => onChange({ ...output, minimum: Number(minimum) })} />
      <NumberInput
        label="To, the best"
        w={110}
        value={output.maximum}
        onChange={(maximum) => onChange({ ...output, maximum: Number(maximum) })}
      />
    </>
  ) : null;
}
