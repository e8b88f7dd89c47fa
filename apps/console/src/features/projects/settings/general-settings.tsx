import { Alert, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type Project, type ProjectAccess, changeProjectRequestSchema } from "@sightline/observability/contract";
import { useState } from "react";
import { Form, SaveOrUndo } from "#ui/kit/form.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { Section } from "#ui/kit/panel.tsx";
import { useChange } from "#http/use-change.ts";
import { changeProject, projectsQuery } from "#features/projects/api/projects.ts";
import { AccessChoice } from "#features/projects/components/access-choice.tsx";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { OwnersOnly } from "./owners-only.tsx";
import { FailedChange } from "#ui/kit/failed-change.tsx";

const MESSAGES: Readonly<Record<string, string>> = {
  name: "Give the project a name",
  retention_days: "Fill in a whole number of days, from 1 to 36500, or nothing",
  playground_budget: "Fill in dollars, from 0 to 100000, or nothing",
};

type Typed = { readonly name: string; readonly access: ProjectAccess; readonly days: string; readonly budget: string };

export function GeneralSettings({ project }: { readonly project: Project }) {
  const saved = typedOf(project);
  const [typed, setTyped] = useState(saved);
  const mayChange = project.my_role === "owner";
  const numbers = { retention_days: numberOf(typed.days), playground_budget: numberOf(typed.budget) };
  const wanted = { name: typed.name, access: typed.access, ...numbers };
  const problems = problemsOf(wanted);
  const changed = JSON.stringify(typed) !== JSON.stringify(saved);
  const save = useChange({
    send: () => changeProject(project.id, wanted),
    refreshes: [projectsQuery.queryKey],
    onSuccess: (answer) => setTyped(typedOf(answer)),
    onRefreshed: ({ name }) => notifications.show({ color: "green", title: "Saved", message: `“${name}” has its new settings.` }),
  });

  function submit(): void {
    if (problems.size === 0) {
      save.mutate();
    }
  }

  return (
    <Stack gap="lg">
      {!mayChange && <OwnersOnly project={project} what="change its settings" />}
      <Section title="General">
        <Form onSubmit={submit} gap="lg">
          <TextInput
            label="Name"
            maxLength={200}
            readOnly={!mayChange}
            variant={mayChange ? "default" : "filled"}
            {...typedInto(typed.name, (next) => setTyped({ ...typed, name: next }))}
            error={problems.get("name")}
          />
          <AccessChoice access={typed.access} fixed={!mayChange} onChange={(access) => setTyped({ ...typed, access })} />
          <TextInput
            label="Keep traces for"
            description="Counted from a trace's first event; leave empty to keep traces forever"
            placeholder="forever"
            inputMode="numeric"
            maw={480}
            readOnly={!mayChange}
            variant={mayChange ? "default" : "filled"}
            rightSection={<Text size="sm">days</Text>}
            rightSectionWidth={56}
            {...typedInto(typed.days, (next) => setTyped({ ...typed, days: next }))}
            error={problems.get("retention_days")}
          />
          <TextInput
            label="Budget of the playground"
            description="US dollars that all people together may spend in it in a day (UTC); leave empty for no limit"
            placeholder="no limit"
            inputMode="decimal"
            maw={480}
            readOnly={!mayChange}
            variant={mayChange ? "default" : "filled"}
            rightSection={<Text size="sm">$ a day</Text>}
            rightSectionWidth={72}
            {...typedInto(typed.budget, (next) => setTyped({ ...typed, budget: next }))}
            error={problems.get("playground_budget")}
          />
          {isShorter(wanted.retention_days, project.retention_days) && problems.size === 0 && (
            <Alert color="yellow" title={`Traces older than ${wanted.retention_days} days are deleted`}>
              This starts within minutes of saving and cannot be undone. Dashboard figures stay.
            </Alert>
          )}
          <FailedChange error={save.error} title="The settings were not saved" />
          {mayChange && (
            <SaveOrUndo changed={changed} isValid={problems.size === 0} saving={save.isPending} onUndo={() => setTyped(saved)} />
          )}
        </Form>
      </Section>
      <Section title="Project id" gap="xs">
        <CopyableBlock text={project.id} label="the project id" />
      </Section>
    </Stack>
  );
}

function typedOf({ name, access, retention_days: days, playground_budget: budget }: Project): Typed {
  return { name, access, days: String(days ?? ""), budget: String(budget ?? "") };
}

function numberOf(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}

function problemsOf(wanted: object): ReadonlyMap<string, string> {
  const issues = changeProjectRequestSchema.safeParse(wanted).error?.issues ?? [];
  return new Map(issues.map(({ path: [name = ""], message }) => [String(name), MESSAGES[String(name)] ?? message]));
}

function isShorter(wanted: number | null, current: number | null): boolean {
  return wanted !== null && (current === null || wanted < current);
}
