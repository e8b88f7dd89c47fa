import { notifications } from "@mantine/notifications";
import type { Repository } from "@sightline/code-index/contract";
import { useState } from "react";
import { Form, SaveOrUndo } from "#ui/kit/form.tsx";
import { useChange } from "#http/use-change.ts";
import { changeRepository, repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { type CredentialChoice, SelectionFields, SourceFields, readSettings, settingsProblems, settingsText } from "./settings-fields.tsx";
import { FailedChange } from "#ui/kit/failed-change.tsx";

type RepositorySettingsProps = { readonly repository: Repository; readonly credentials: readonly CredentialChoice[] };

/** What of a repository is indexed, and how it is fetched. */
export function RepositorySettings({ repository, credentials }: RepositorySettingsProps) {
  const saved = settingsText(repository);
  const [text, setText] = useState(saved);
  const settings = readSettings(text);
  const problems = new Map([
    ...settingsProblems(settings),
    ...(text.cloneUrl.trim() === "" ? ([["clone_url", "Say where git fetches from"]] as const) : []),
  ]);
  const changed = JSON.stringify(settings) !== JSON.stringify(readSettings(saved));
  const save = useChange({
    send: () => changeRepository(repository.id, settings),
    refreshes: [repositoriesQuery.queryKey],
    onSuccess: (answer) => setText(settingsText(answer)),
    onRefreshed: () => notifications.show({ color: "green", title: "Saved", message: "Anything that needs reindexing is queued." }),
  });

  function submit(): void {
    if (problems.size === 0) {
      save.mutate();
    }
  }

  return (
    <Form onSubmit={submit}>
      <SourceFields text={text} problems={problems} credentials={credentials} onChange={setText} />
      <SelectionFields text={text} problems={problems} onChange={setText} />
      <FailedChange error={save.error} title="The settings were not saved" />
      <SaveOrUndo changed={changed} isValid={problems.size === 0} saving={save.isPending} onUndo={() => setText(saved)} />
    </Form>
  );
}
