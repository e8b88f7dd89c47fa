import type { WithStepUp } from "#http/with-step-up.ts";
import "@mantine/core/styles/Pill.layer.css";
import "@mantine/core/styles/PillsInput.layer.css";
import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/Radio.layer.css";
import { Alert, Button, Checkbox, Group, MultiSelect, Radio, Stack, Text } from "@mantine/core";
import { type ConsentAnswer, type ConsentQuestion, GRANT_DAYS, MAX_GRANTED_REPOSITORIES } from "@sightline/identity/contract";
import { useState } from "react";
import type { Api } from "#http/api.ts";
import { useChange } from "#http/use-change.ts";
import { FailedChange } from "#ui/kit/failed-change.tsx";
import { Form } from "#ui/kit/form.tsx";
import { nothingToChoose } from "#ui/kit/nothing-to-choose.ts";
import { plural } from "#ui/words/format.ts";
import { answerConsent, connectionsQuery } from "#features/connections/api/connections.ts";
import { describePlace } from "#features/connections/describe-place.ts";

type Days = (typeof GRANT_DAYS)[number];

type ConsentFormProps = {
  readonly uid: string;
  readonly question: ConsentQuestion;
  /** The repositories to choose from, as far as they are loaded. */
  readonly repositories: {
    readonly data: readonly { readonly id: string; readonly full_name: string }[] | undefined;
    readonly error: Error | null;
  };
  /** Runs a call, and asks for password and code when they were given long ago. */
  readonly withStepUp: WithStepUp;
  /** Takes the browser to the app. */
  readonly onAnswered: (address: string) => void;
};

/** Asks a person whether an app may come in, and how far. */
export function ConsentForm({ uid, question, repositories, withStepUp, onAnswered }: ConsentFormProps) {
  const { app, account } = question;
  const [allowed, setAllowed] = useState<string[]>([]);
  const [traces, setTraces] = useState(false);
  const [wantsEvaluation, setWantsEvaluation] = useState(false);
  const evaluation = traces && wantsEvaluation;
  const [days, setDays] = useState<Days>(GRANT_DAYS[1]);
  const answer = useChange({
    send: (given: ConsentAnswer, api: Api) => withStepUp(() => api.request(answerConsent(uid, given))),
    refreshes: [connectionsQuery.queryKey],
    onSuccess: ({ continue_to: next }) => onAnswered(next),
  });
  // The browser is on its way once the answer is there.
  const isBusy = answer.isPending || answer.isSuccess;

  function allow(): void {
    answer.mutate({ decision: "allow", repositories: allowed.length === 0 ? null : allowed, traces, evaluation, days });
  }

  return (
    <Form onSubmit={allow} gap="lg">
      <Text>
        It will read as <strong>{account.email}</strong> of “{account.tenant}”.{" "}
        {evaluation
          ? "It searches, reads and adds items to datasets; it changes nothing else."
          : "It searches and reads; it changes nothing."}
      </Text>
      <Alert color="yellow" title="Did you connect this app just now?">
        Nobody has verified that it is “{app.name}”. Your answer goes to <strong>{app.redirect_host}</strong>,{" "}
        {describePlace(app.redirect_host)}. If you did not start this, deny it.
      </Alert>
      <MultiSelect
        label="Repositories"
        placeholder={allowed.length === 0 ? "All, including future ones" : ""}
        searchable
        clearable
        hidePickedOptions
        maxValues={MAX_GRANTED_REPOSITORIES}
        clearButtonProps={{ "aria-label": "Open all repositories" }}
        nothingFoundMessage={nothingToChoose(repositories, "No other repository")}
        data={repositories.data?.map(({ id, full_name: name }) => ({ value: id, label: name })) ?? []}
        value={allowed}
        onChange={setAllowed}
      />
      <Checkbox
        label="Include traces"
        description="The app can read traces, prompts and errors in every project you have access to."
        checked={traces}
        onChange={(event) => setTraces(event.currentTarget.checked)}
      />
      <Checkbox
        label="Include evaluation"
        description="The app can read issues and experiments, and change datasets: it adds items where you are an editor. Needs traces."
        disabled={!traces}
        checked={evaluation}
        onChange={(event) => setWantsEvaluation(event.currentTarget.checked)}
      />
      <Radio.Group
        label="For how long"
        value={String(days)}
        onChange={(value) => setDays(GRANT_DAYS.find((one) => String(one) === value) ?? 1)}
      >
        <Stack gap="xs" mt="xs">
          {GRANT_DAYS.map((one) => (
            <Radio key={one} value={String(one)} label={plural(one, "day", "days")} />
          ))}
        </Stack>
      </Radio.Group>
      <FailedChange error={answer.error} title="Access was not granted" />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" disabled={isBusy} onClick={() => answer.mutate({ decision: "deny" })}>
          Deny
        </Button>
        <Button type="submit" loading={isBusy}>
          Allow
        </Button>
      </Group>
    </Form>
  );
}
