import { Checkbox, NativeSelect, Select, Stack, TextInput } from "@mantine/core";
import { type WorkloadRequest, workloadRequestSchema } from "@sightline/identity/contract";
import { useState } from "react";
import { useChange } from "#http/use-change.ts";
import type { WithStepUp } from "#http/with-step-up.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { asSentence } from "#ui/words/format.ts";
import { trustJobs, workloadsQuery } from "./workloads.ts";

type Choice = { readonly value: string; readonly label: string };
export type Choices = { readonly repositories: readonly Choice[]; readonly projects: readonly Choice[] };

const GITHUB = "https://token.actions.githubusercontent.com";
const HOSTS = [
  { value: GITHUB, label: "GitHub Actions", subject: "repo:acme/shop:*" },
  { value: "https://gitlab.com", label: "GitLab", subject: "project_path:acme/shop:*" },
  { value: "", label: "Another issuer, such as a cluster or one’s own GitLab", subject: "system:serviceaccount:ci:gate" },
];
const SCOPES = [
  { value: "scip", label: "Upload SCIP indexes to a repository" },
  { value: "evaluate", label: "Run experiments and gates in a project" },
  { value: "read", label: "Read a project, exports too" },
] as const;
type Scope = (typeof SCOPES)[number]["value"];

type TrustFormProps = Choices & { readonly withStepUp: WithStepUp; readonly onDone: () => void };

export function TrustForm({ repositories, projects, withStepUp, onDone }: TrustFormProps) {
  const [host, setHost] = useState(GITHUB);
  const [own, setOwn] = useState("");
  const [subject, setSubject] = useState("");
  const [branches, setBranches] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["evaluate"]);
  const [repository, setRepository] = useState<string | null>(null);
  const [project, setProject] = useState<string | null>(null);
  const [isShown, setShown] = useState(false);
  const [needsRepository, needsProject] = [scopes.includes("scip"), scopes.some((scope) => scope !== "scip")];
  const read = workloadRequestSchema.safeParse({
    issuer: host === "" ? own.trim() : host,
    subject: subject.trim(),
    branches: branches.trim() === "" ? null : branches.trim(),
    scopes,
    repository_id: needsRepository ? repository : null,
    project_id: needsProject ? project : null,
  });
  const problems = new Map((read.error?.issues ?? []).map(({ path: [field = ""], message }) => [String(field), asSentence(message)]));
  const problemOf = (field: string) => (isShown ? problems.get(field) : undefined);
  const save = useChange({
    send: (sent: WorkloadRequest, api) => withStepUp(() => api.request(trustJobs(sent))),
    refreshes: [workloadsQuery.queryKey],
    onSuccess: onDone,
  });

  function submit(): void {
    setShown(true);
    if (read.success) {
      save.mutate(read.data);
    }
  }

  return (
    <DialogForm change={save} failed="The job is not trusted" submit="Trust it" onSubmit={submit} onCancel={onDone}>
      <NativeSelect label="Where it runs" data={HOSTS} value={host} onChange={({ currentTarget }) => setHost(currentTarget.value)} />
      {host === "" && (
        <TextInput
          label="Issuer"
          placeholder="https://gitlab.example.com"
          type="url"
          {...typedInto(own, setOwn)}
          error={problemOf("issuer")}
        />
      )}
      <TextInput
        label="Subject"
        description="As the ID token has it, with the repository in full; one * behind it stands for anything"
        placeholder={HOSTS.find(({ value }) => value === host)?.subject}
        spellCheck={false}
        maxLength={300}
        {...typedInto(subject, setSubject)}
        error={problemOf("subject")}
      />
      <TextInput
        label="Branches"
        description="Such as main or release/*; empty for all that the subject lets in"
        spellCheck={false}
        maxLength={200}
        {...typedInto(branches, setBranches)}
        error={problemOf("branches")}
      />
      <Checkbox.Group
        label="What it may do"
        value={[...scopes]}
        onChange={(chosen) => setScopes(SCOPES.map(({ value }) => value).filter((value) => chosen.includes(value)))}
        error={isShown && scopes.length === 0 && "Choose at least one."}
      >
        <Stack gap="xs" mt="xs">
          {SCOPES.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
      {needsRepository && (
        <Select
          label="Repository"
          searchable
          data={[...repositories]}
          value={repository}
          onChange={setRepository}
          error={isShown && repository === null && "Choose one."}
        />
      )}
      {needsProject && (
        <Select
          label="Project"
          searchable
          data={[...projects]}
          value={project}
          onChange={setProject}
          error={isShown && project === null && "Choose one."}
        />
      )}
    </DialogForm>
  );
}
