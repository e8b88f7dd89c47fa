import { Alert, Button, Group, Paper, Radio, Stack, Switch, TextInput } from "@mantine/core";
import type { ChangePolicyRequest, Policy } from "@sightline/identity/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { changePolicy, policyQuery } from "#features/auth/api/policy.ts";
import { useStepUp } from "#features/auth/step-up.ts";
import { useChange } from "#http/use-change.ts";
import { Failed } from "#ui/kit/failed-change.tsx";
import { Form } from "#ui/kit/form.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { formatTimeAndZone } from "#ui/words/format.ts";
import { type PolicyFields, readDay, toRequest, readWhen } from "./policy-form.ts";
import { StepTitle } from "./step-title.tsx";

/** Shows what the organization asks of its admins, and what its members may. */
export function PolicySection() {
  const policy = useQuery(policyQuery);
  return (
    <Paper p="lg" component="section" aria-label="Policy">
      <Stack gap="md">
        <StepTitle title="Your organization's policy">
          What every admin has to do, and what members may. Changes are announced to all other admins and recorded in the audit log.
        </StepTitle>
        {policy.data === undefined ? (
          <Unanswered query={policy} failed="The policy could not be looked up" loading={<LoadingRows rows={2} />} />
        ) : (
          // A policy that another admin changed meanwhile starts the form anew.
          <PolicyForm key={JSON.stringify(policy.data)} policy={policy.data} />
        )}
      </Stack>
    </Paper>
  );
}

function PolicyForm({ policy }: { readonly policy: Policy }) {
  const withStepUp = useStepUp();
  const [fields, setFields] = useState<PolicyFields>({
    when: readWhen(policy),
    day: readDay(policy),
    two: policy.resets_need_two && policy.resets_need_two_until === null,
    passkeys: policy.members_may_add_passkeys,
  });
  const [openedAt] = useState(() => new Date());
  const request = toRequest(policy, fields, openedAt);
  const change = useChange({
    send: (sent: ChangePolicyRequest, api) => withStepUp(() => api.request(changePolicy(sent))),
    refreshes: [policyQuery.queryKey],
    refreshesAlways: true,
  });
  return (
    <Form onSubmit={() => request !== undefined && change.mutate(request)}>
      {change.error !== null && <Failed error={change.error} title="The policy was not changed" />}
      <Radio.Group
        label="2FA for admins"
        value={fields.when}
        onChange={(when) => setFields({ ...fields, when: when === "now" || when === "day" ? when : "never" })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="never" label="Each admin decides" />
          <Radio value="now" label="Required" description="Admins without 2FA must set it up before doing anything else." />
          <Radio value="day" label="Required from a date" description="Admins are reminded until then." />
        </Stack>
      </Radio.Group>
      {fields.when === "day" && (
        <TextInput
          type="date"
          label="From (UTC)"
          maw={220}
          required
          value={fields.day}
          onChange={({ currentTarget }) => setFields({ ...fields, day: currentTarget.value })}
        />
      )}
      <Switch
        label="Resetting 2FA, and removing an admin, needs a second admin"
        description="Requires at least three admins. Members with 2FA can then be deleted only after a reset. You can still reset from the host in an emergency."
        checked={fields.two}
        onChange={({ currentTarget }) => setFields({ ...fields, two: currentTarget.checked })}
      />
      {policy.resets_need_two_until !== null && (
        <Alert color="yellow">
          This was switched off, but a second admin is still required until {formatTimeAndZone(new Date(policy.resets_need_two_until))}.
        </Alert>
      )}
      <Switch
        label="Members may add passkeys"
        description="To log in with instead of the password, and besides it. Passkeys that members have already stay when this is switched off."
        checked={fields.passkeys}
        onChange={({ currentTarget }) => setFields({ ...fields, passkeys: currentTarget.checked })}
      />
      <Group>
        <Button type="submit" loading={change.isPending} disabled={request === undefined}>
          Save the policy
        </Button>
      </Group>
    </Form>
  );
}
