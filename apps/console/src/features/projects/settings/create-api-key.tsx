import "@mantine/core/styles/Checkbox.layer.css";
import { Alert, Button, Checkbox, Group, TextInput } from "@mantine/core";
import { type ApiKeyScope, type CreatedApiKey, apiKeyScopeSchema, createApiKeyRequestSchema } from "@sightline/observability/contract";
import { useState } from "react";
import { Form } from "#ui/kit/form.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useChange } from "#http/use-change.ts";
import { apiKeysQuery, createApiKey } from "#features/projects/api/api-keys.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { asSentence } from "#ui/words/format.ts";

export const SCOPES: Readonly<Record<ApiKeyScope, { readonly label: string; readonly description: string }>> = {
  ingest: { label: "Send traces", description: "For applications with an OpenTelemetry exporter" },
  read: { label: "Read traces", description: "For scripts: lists and reads this project, and changes nothing" },
  evaluate: { label: "Evaluate", description: "For experiments and CI: reads and writes datasets, experiments and prompts" },
  scores: { label: "Give scores", description: "For services that judge traces: adds scores, and reads nothing" },
  prompts: { label: "Read prompts", description: "For applications: reads prompts, and nothing else" },
  production: { label: "Release to production", description: "With Evaluate: moves the label production of prompts" },
};

/** The key is in this component's memory only, and gone with it. */
export function CreateApiKey({ projectId }: { readonly projectId: string }) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly string[]>(["ingest"]);
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [created, setCreated] = useState<CreatedApiKey>();
  const create = useChange({
    send: () => createApiKey(projectId, { name, scopes: scopes.map((scope) => apiKeyScopeSchema.parse(scope)) }),
    gcTime: 0,
    refreshes: [apiKeysQuery(projectId).queryKey],
    onSuccess(key) {
      setName("");
      setCreated(key);
    },
  });

  function submit(): void {
    const issues = createApiKeyRequestSchema.safeParse({ name, scopes }).error?.issues ?? [];
    setProblems(new Map(issues.map(({ path: [field = ""], message }) => [String(field), asSentence(message)])));
    if (issues.length === 0) {
      create.mutate();
    }
  }

  return (
    <Form onSubmit={submit}>
      <TextInput
        label="Name"
        placeholder="Checkout service, production"
        maxLength={200}
        autoComplete="off"
        {...typedInto(name, setName)}
        error={problems.get("name") ?? create.error?.message}
      />
      <Checkbox.Group label="Allow it to" value={[...scopes]} error={problems.get("scopes")} onChange={setScopes}>
        <Group mt="xs" gap="xl">
          {apiKeyScopeSchema.options.map((scope) => (
            <Checkbox key={scope} value={scope} label={SCOPES[scope].label} description={SCOPES[scope].description} />
          ))}
        </Group>
      </Checkbox.Group>
      <Button type="submit" loading={create.isPending} mr="auto">
        Create key
      </Button>
      {created !== undefined && (
        <Alert color="green" title={`Copy “${created.name}” now: it is not shown again`} role="status">
          <CopyableBlock text={created.key} label="the API key" />
        </Alert>
      )}
    </Form>
  );
}
