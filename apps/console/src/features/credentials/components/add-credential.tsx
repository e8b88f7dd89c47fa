import { Group, SegmentedControl, TextInput, Textarea } from "@mantine/core";
import { type CreateCredentialRequest, type Credential, createCredentialRequestSchema } from "@sightline/code-index/contract";
import { useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useChange } from "#http/use-change.ts";
import { createCredential, credentialsQuery } from "#features/credentials/api/credentials.ts";
import monospace from "#ui/kit/monospace.module.css";
import { KINDS } from "#features/credentials/credential-kinds.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";

const EMPTY = { name: "", host: "github.com", secret: "", username: "", app_id: "", installation_id: "" };

export function AddCredential({ onDone, onCancel }: { readonly onDone: () => void; readonly onCancel: () => void }) {
  const [kind, setKind] = useState<Credential["kind"]>("token");
  const [fields, setFields] = useState(EMPTY);
  const [checked, setChecked] = useState(false);
  const request = requestOf(kind, fields);
  const problems = problemsOf(request);
  const add = useChange({ send: () => createCredential(request), refreshes: [credentialsQuery.queryKey], onRefreshed: onDone });

  function submit(): void {
    setChecked(true);
    if (problems.size === 0) {
      add.mutate();
    }
  }

  function field(name: keyof typeof EMPTY) {
    return {
      ...typedInto(fields[name], (typed) => setFields({ ...fields, [name]: typed })),
      error: checked ? problems.get(name) : undefined,
      autoCapitalize: "off",
      autoComplete: "off",
      spellCheck: false,
    } as const;
  }

  return (
    <DialogForm change={add} failed="The credential was not added" submit="Add the credential" onSubmit={submit} onCancel={onCancel}>
      <SegmentedControl
        fullWidth
        aria-label="Kind"
        data={[
          { value: "token", label: KINDS.token.label },
          { value: "deploy_key", label: KINDS.deploy_key.label },
          { value: "github_app", label: KINDS.github_app.label },
        ]}
        value={kind}
        onChange={setKind}
      />
      <TextInput label="Name" placeholder="GitHub, read only" data-autofocus maxLength={100} {...field("name")} />
      <TextInput label="Host" description="As in the clone URL, with its port if it has one" {...field("host")} />
      {kind === "token" && (
        <TextInput label="User name" description="Only for hosts that require one with the token" maxLength={200} {...field("username")} />
      )}
      {kind === "github_app" && (
        <Group grow align="flex-start">
          <TextInput label="App ID" inputMode="numeric" {...field("app_id")} />
          <TextInput label="Installation ID" inputMode="numeric" {...field("installation_id")} />
        </Group>
      )}
      <SecretField kind={kind} {...field("secret")} />
      <Dimmed size="xs">It is encrypted before it is stored, and never shown again.</Dimmed>
    </DialogForm>
  );
}

/** The field of a secret, which may have several lines. */
export function SecretField({
  kind,
  ...field
}: {
  readonly kind: Credential["kind"];
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (event: { readonly currentTarget: { readonly value: string } }) => void;
}) {
  const { secret, advice } = KINDS[kind];
  const common = { label: secret, description: advice, autoComplete: "off", spellCheck: false, ...field } as const;
  return kind === "token" ? (
    <TextInput type="password" {...common} />
  ) : (
    <Textarea rows={5} classNames={{ input: monospace.input }} placeholder="-----BEGIN …" {...common} />
  );
}

function requestOf(
  kind: Credential["kind"],
  { name, host, secret, username, app_id, installation_id }: typeof EMPTY,
): CreateCredentialRequest {
  return {
    kind,
    name: name.trim(),
    host: host.trim().toLowerCase(),
    secret: kind === "token" ? secret.trim() : secret,
    ...(kind === "token" && username.trim() !== "" ? { username: username.trim() } : {}),
    ...(kind === "github_app" ? { app_id: app_id.trim(), installation_id: installation_id.trim() } : {}),
  };
}

const MESSAGES: Readonly<Record<string, string>> = {
  name: "Give it a name",
  host: "A host, like github.com or git.example.org:8443",
  secret: "Fill in the secret",
  app_id: "The number on the app's page",
  installation_id: "The number at the end of the installation's address",
};

function problemsOf(request: CreateCredentialRequest): ReadonlyMap<string, string> {
  const issues = createCredentialRequestSchema.safeParse(request).error?.issues ?? [];
  return new Map(issues.map(({ path: [name = ""], message }) => [String(name), MESSAGES[String(name)] ?? message]));
}
