import { Alert, Button, Group, NativeSelect, Paper, Stack, Text, TextInput } from "@mantine/core";
import {
  type AlertChannel,
  type AlertChannelKind,
  type CreateAlertChannelRequest,
  type CreatedAlertChannel,
  EVENTS_URLS,
  alertChannelKindSchema,
  createAlertChannelRequestSchema,
} from "@sightline/observability/contract";
import { useMutationState } from "@tanstack/react-query";
import { type SyntheticEvent, useState } from "react";
import { typedInto } from "#ui/kit/typed-into.ts";
import { PanelHeader } from "#ui/kit/panel.tsx";
import { useChange } from "#http/use-change.ts";
import { alertsKey, createChannel, deleteChannel, testChannel } from "#features/alerts/api/alerts.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ConfirmDialog } from "#ui/kit/dialogs.tsx";
import { Status } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { asSentence } from "#ui/words/format.ts";

type Props = { readonly projectId: string; readonly channels: readonly AlertChannel[]; readonly mayChange: boolean };

/** The name of each kind, and its fields; PagerDuty's and Opsgenie's addresses are known, but for those of their European regions. */
const KINDS: Readonly<Record<AlertChannelKind, { readonly label: string; readonly fields: readonly Field[] }>> = {
  slack: { label: "Slack", fields: [{ name: "url", label: "Address", placeholder: "https://hooks.slack.com/services/…" }] },
  email: {
    label: "E-mail",
    fields: [{ name: "email", label: "To (a colleague’s address, or one at a proven domain)", placeholder: "agents@example.org" }],
  },
  pagerduty: {
    label: "PagerDuty",
    fields: [
      { name: "key", label: "Integration key (Events API v2)", placeholder: "R0…" },
      { name: "url", label: "Address", placeholder: EVENTS_URLS.pagerduty },
    ],
  },
  opsgenie: {
    label: "Opsgenie",
    fields: [
      { name: "key", label: "Key of the API integration", placeholder: "a1b2…" },
      { name: "url", label: "Address", placeholder: EVENTS_URLS.opsgenie },
    ],
  },
  webhook: { label: "Webhook", fields: [{ name: "url", label: "Address", placeholder: "https://example.org/alerts" }] },
};
type Field = { readonly name: "url" | "email" | "key"; readonly label: string; readonly placeholder: string };

/** Where alerts are told; addresses are shown by their host alone. */
export function Channels({ projectId, channels, mayChange }: Props) {
  return (
    <Paper component="section">
      <PanelHeader
        title="Channels"
        about={`Where alerts are sent. Failed deliveries are retried for an hour.${mayChange ? "" : " Only project owners can change them."}`}
      />
      {channels.length === 0 && (
        <Text px="lg" pb="lg" c="dimmed">
          No channels yet: alerts are shown on this page only.
        </Text>
      )}
      {channels.length > 0 && (
        <DataTable
          label="Channels"
          minWidth={640}
          isInPanel
          verticalSpacing="xs"
          horizontalSpacing="sm"
          rows={channels}
          rowKey={({ id }) => id}
          columns={[
            { header: "Name", td: { fw: 550 }, render: ({ name }) => name },
            { header: "Kind", render: ({ kind }) => KINDS[kind].label },
            { header: "Sent to", render: ({ host }) => host },
            { header: "Last message", render: (channel) => <LastMessage projectId={projectId} channel={channel} /> },
            mayChange && { header: "Actions", isHidden: true, render: (channel) => <Actions projectId={projectId} channel={channel} /> },
          ]}
        />
      )}
      {mayChange && <AddChannel projectId={projectId} />}
    </Paper>
  );
}

type ChannelProps = Pick<Props, "projectId"> & { readonly channel: AlertChannel };

const trialKey = ({ projectId, channel }: ChannelProps) => ["try an alert channel", projectId, channel.id];

function LastMessage({ projectId, channel }: ChannelProps) {
  // What the last try from this page ran into, which the cell of its button made.
  const [tried] = useMutationState({
    filters: { mutationKey: trialKey({ projectId, channel }) },
    select: ({ state }) => state.error,
  }).slice(-1);
  const problem = tried?.message ?? channel.last_problem;
  return (
    <div role="status">
      {problem !== null && <Status tone="bad">{problem}</Status>}
      {problem === null && channel.last_sent_at === null && (
        <Text span inherit c="dimmed">
          none yet
        </Text>
      )}
      {problem === null && channel.last_sent_at !== null && (
        <Status tone="ok">
          arrived <TimeStamp at={channel.last_sent_at} />
        </Status>
      )}
    </div>
  );
}

function Actions({ projectId, channel }: ChannelProps) {
  const [isDeleting, setDeleting] = useState(false);
  const refreshing = { refreshes: [alertsKey(projectId)], refreshesAlways: true };
  const trial = useChange({
    mutationKey: trialKey({ projectId, channel }),
    send: () => testChannel(projectId, channel.id),
    // Its failure is shown as long as this row is.
    gcTime: 0,
    ...refreshing,
  });
  const remove = useChange({ send: () => deleteChannel(projectId, channel.id), ...refreshing });
  return (
    <>
      <Group gap={6} wrap="nowrap" justify="flex-end">
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Test ${channel.name}`}
          loading={trial.isPending}
          onClick={() => trial.mutate()}
        >
          Test
        </Button>
        <Button size="compact-xs" variant="default" aria-label={`Delete ${channel.name}`} onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </Group>
      <ConfirmDialog
        opened={isDeleting}
        title={`Delete “${channel.name}”?`}
        change={remove}
        failed="It was not deleted"
        onConfirm={() => remove.mutate()}
        onClose={() => setDeleting(false)}
      >
        <Text>Alerts will no longer be sent to it. To add it again, you will have to enter its address again.</Text>
      </ConfirmDialog>
    </>
  );
}

type Draft = { readonly name: string; readonly kind: AlertChannelKind } & Readonly<Record<Field["name"], string>>;
const EMPTY: Draft = { name: "", kind: "slack", url: "", email: "", key: "" };

/** The settings that are sent; an address that is left empty is the usual one, where there is one. */
function requestOf({ name, kind, ...values }: Draft) {
  const typed = KINDS[kind].fields.flatMap((field) => (values[field.name].trim() === "" ? [] : [[field.name, values[field.name].trim()]]));
  return createAlertChannelRequestSchema.safeParse({ name, kind, ...Object.fromEntries(typed) });
}

/** The secret is in this component's memory only, and gone with it. */
function AddChannel({ projectId }: { readonly projectId: string }) {
  const [channel, setChannel] = useState<Draft>(EMPTY);
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [created, setCreated] = useState<CreatedAlertChannel>();
  const create = useChange({
    send: (request: CreateAlertChannelRequest) => createChannel(projectId, request),
    gcTime: 0,
    refreshes: [alertsKey(projectId)],
    onSuccess(made) {
      setChannel({ ...EMPTY, kind: channel.kind });
      setCreated(made);
    },
  });

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    const { data, error } = requestOf(channel);
    setProblems(new Map((error?.issues ?? []).map(({ path: [field = ""], message }) => [String(field), asSentence(message)])));
    if (data !== undefined) {
      create.mutate(data);
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" px="lg" py="lg">
        <Group align="flex-start" gap="xs">
          <NativeSelect
            label="Kind"
            data={Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))}
            value={channel.kind}
            onChange={(event) => setChannel({ ...channel, kind: alertChannelKindSchema.parse(event.currentTarget.value) })}
          />
          <TextInput
            label="Name"
            placeholder="#agents"
            maxLength={100}
            autoComplete="off"
            {...typedInto(channel.name, (next) => setChannel({ ...channel, name: next }))}
            error={problems.get("name")}
          />
          {KINDS[channel.kind].fields.map(({ name, label, placeholder }, index) => (
            <TextInput
              key={name}
              flex="1 1 260px"
              label={label}
              placeholder={placeholder}
              autoComplete="off"
              spellCheck={false}
              {...typedInto(channel[name], (next) => setChannel({ ...channel, [name]: next }))}
              error={problems.get(name) ?? (index === 0 ? create.error?.message : undefined)}
            />
          ))}
          <Button type="submit" mt={26} loading={create.isPending}>
            Add channel
          </Button>
        </Group>
        {created?.secret !== undefined && created.secret !== null && (
          <Alert color="green" title={`Copy the secret of “${created.name}” now: it is not shown again`} role="status">
            <CopyableBlock text={created.secret} label="the webhook's secret" />
            <Text size="sm" mt="xs">
              Every message has the header X-Sightline-Signature: sha256= and the HMAC of its body by this secret.
            </Text>
          </Alert>
        )}
      </Stack>
    </form>
  );
}
