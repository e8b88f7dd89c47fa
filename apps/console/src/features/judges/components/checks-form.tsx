import { TextInput } from "@mantine/core";
import type { EvaluatorDefinition, JudgeDetail } from "@sightline/observability/contract";
import { useState } from "react";
import { ChecksField } from "#features/datasets/components/checks-field.tsx";
import { readChecks, toTypedChecks } from "#features/datasets/typed-value.ts";
import { judgesKey, saveJudge } from "#features/judges/api/judges.ts";
import { useChange } from "#http/use-change.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { TryEvaluator } from "./try-evaluator.tsx";

export type EvaluatorFormProps = {
  readonly projectId: string;
  /** The one that gets a version; without it a new one is made. */
  readonly judge?: JudgeDetail;
  readonly onSaved: (judge: JudgeDetail) => void;
  readonly onCancel: () => void;
};

/** Checks that are evaluated without a model. */
export function ChecksForm({ projectId, judge, onSaved, onCancel }: EvaluatorFormProps) {
  const [name, setName] = useState(judge?.name ?? "");
  const [typed, setTyped] = useState(toTypedChecks(judge?.definition.kind === "checks" ? judge.definition.checks : []));
  const [isShown, setShown] = useState(false);
  const checks = readChecks(typed);
  const problem = "problem" in checks ? checks.problem : checks.value.length === 0 && "Add a check.";
  const definition = "value" in checks && checks.value.length > 0 ? { kind: "checks" as const, checks: checks.value } : undefined;
  const save = useChange({
    send: (saved: EvaluatorDefinition) => saveJudge(projectId, judge?.id, { name, definition: saved }),
    refreshes: [judgesKey(projectId)],
    onSuccess: onSaved,
  });

  function submit(): void {
    setShown(true);
    if (definition !== undefined && name.trim() !== "") {
      save.mutate(definition);
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
        <TextInput
          label="Name"
          description="Of its scores, too."
          maxLength={200}
          autoComplete="off"
          {...typedInto(name, setName)}
          error={isShown && name.trim() === "" && "Give it a name."}
        />
      )}
      <ChecksField checks={typed} onChange={setTyped} error={isShown && problem} />
      {definition !== undefined && <TryEvaluator projectId={projectId} definition={definition} />}
    </DialogForm>
  );
}
