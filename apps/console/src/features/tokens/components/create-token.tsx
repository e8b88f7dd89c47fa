import "@mantine/core/styles/Pill.layer.css";
import "@mantine/core/styles/PillsInput.layer.css";
import "@mantine/core/styles/Checkbox.layer.css";
import { Alert, Button, Checkbox, Group, MultiSelect, TextInput } from "@mantine/core";
import { type CreatedToken, createTokenRequestSchema } from "@sightline/code-index/contract";
import { useState } from "react";
import { Form } from "#ui/kit/form.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useChange } from "#http/use-change.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { nothingToChoose } from "#ui/kit/nothing-to-choose.ts";
import { createToken, tokensQuery } from "#features/tokens/api/tokens.ts";
import type { RepositoryChoice } from "#features/tokens/token-scope.ts";
import classes from "./create-token.module.css";

type CreateTokenProps = {
  /** Somebody came to make one, so that the form has the focus. */
  readonly isAskedFor: boolean;
  /** The repositories to choose from, as far as they are loaded. */
  readonly repositories: { readonly data: readonly RepositoryChoice[] | undefined; readonly error: Error | null };
  readonly created: CreatedToken | undefined;
  readonly onCreated: (token: CreatedToken) => void;
};

export function CreateToken({ isAskedFor, repositories, created, onCreated }: CreateTokenProps) {
  const [label, setLabel] = useState("");
  const [allowed, setAllowed] = useState<string[]>([]);
  const [traces, setTraces] = useState(false);
  const [wantsEvaluation, setWantsEvaluation] = useState(false);
  const evaluation = traces && wantsEvaluation;
  const [uploads, setUploads] = useState(false);
  const [problem, setProblem] = useState<string>();
  const create = useChange({
    send: () => createToken({ label, traces, evaluation, uploads, ...(allowed.length === 0 ? {} : { repositories: allowed }) }),
    refreshes: [tokensQuery.queryKey],
    onSuccess(token) {
      setLabel("");
      setAllowed([]);
      setTraces(false);
      setWantsEvaluation(false);
      setUploads(false);
      onCreated(token);
    },
  });

  function submit(): void {
    const wrong = createTokenRequestSchema.safeParse({ label }).error?.issues[0]?.message;
    setProblem(wrong);
    if (wrong === undefined) {
      create.mutate();
    }
  }

  return (
    <>
      <Form onSubmit={submit} gap="sm">
        <Group align="flex-start" gap="xs">
          <TextInput
            className={classes.label}
            label="Label"
            placeholder="Ada's laptop, Claude Code"
            maxLength={200}
            autoFocus={isAskedFor}
            {...typedInto(label, setLabel)}
            error={problem ?? create.error?.message}
          />
          <MultiSelect
            className={classes.repositories}
            label="Repositories"
            placeholder={allowed.length === 0 ? "All, including future ones" : ""}
            searchable
            clearable
            hidePickedOptions
            clearButtonProps={{ "aria-label": "Open all repositories" }}
            nothingFoundMessage={nothingToChoose(repositories, "No other repository")}
            data={repositories.data?.map(({ id, full_name: name }) => ({ value: id, label: name })) ?? []}
            value={allowed}
            onChange={setAllowed}
          />
          <Button type="submit" loading={create.isPending} className={classes.button}>
            Create token
          </Button>
        </Group>
        <Checkbox
          label="Include traces"
          description="The assistant can read traces, prompts and errors in every project you have access to."
          checked={traces}
          onChange={(event) => setTraces(event.currentTarget.checked)}
        />
        <Checkbox
          label="Include evaluation"
          description="The assistant can read issues and experiments, and change datasets: it adds items where you are an editor. Needs traces."
          disabled={!traces}
          checked={evaluation}
          onChange={(event) => setWantsEvaluation(event.currentTarget.checked)}
        />
        <Checkbox
          label="Upload SCIP indexes"
          description="For CI: enables precise definitions and references."
          checked={uploads}
          onChange={(event) => setUploads(event.currentTarget.checked)}
        />
      </Form>
      {created !== undefined && (
        <Alert color="green" mt="md" title={`Copy “${created.label}” now: it is not shown again`} role="status">
          <CopyableBlock text={created.token} label="the token" />
        </Alert>
      )}
    </>
  );
}
