import { Alert, Button, Group, NativeSelect, Paper, Stack, Table, Text, TextInput, Title, VisuallyHidden } from "@mantine/core";
import {
  type AlertChannel,
  type CreatedAlertChannel,
  alertChannelKindSchema,
  createAlertChannelRequestSchema,
} from "@sightline/observability/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useState } from "react";
import { useApi } from "#http/api-context.ts";
import { alertsKey, createChannel, deleteChannel, testChannel } from "#features/alerts/api/alerts.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import panel from "#ui/kit/panel-table.module.css";
import { Status } from "#ui/kit/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import classes from "./alerts.module.css";
import { ConfirmDelete } from "./confirm-delete.tsx";

type Props = { readonly projectId: string; readonly channels: readonly AlertChannel[]; readonly mayChange: boolean };

const KINDS = { webhook: "Webhook", slack: "Slack" } as const;

/** Where alerts are told; addresses are shown by their host alone. */
export function Channels({ projectId, channels, mayChange }: Props) {
  return (
    <Paper component="section">
      <div className={classes.head}>
        <div>
          <Title order={2}>Channels</Title>
          <Text size="sm" c="dimmed" mt={4}>
            Where alerts are told. What does not arrive is tried again for an hour.
            {mayChange ? "" : " Only owners of the project change them."}
          </Text>
        </div>
      </div>
      {channels.length === 0 && (
        <Text px="lg" pb="lg" c="dimmed">
          There is none yet: alerts show on this page only.
        </Text>
      )}
      {channels.length > 0 && (
        <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Channels" } }}>
          <Table verticalSpacing="xs" horizontalSpacing="sm" className={panel.table ?? ""}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Kind</Table.Th>
                <Table.Th>Host</Table.Th>
                <Table.Th>Last message</Table.Th>
                {mayChange && (
                  <Table.Th>
                    <VisuallyHidden>Actions</VisuallyHidden>
                  </Table.Th>
                )}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {channels.map((channel) => (
                <Channel key={channel.id} projectId={projectId} channel={channel} mayChange={mayChange} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {mayChange && <AddChannel projectId={projectId} />}
    </Paper>
  );
}

function Channel({ projectId, channel, mayChange }: Omit<Props, "channels"> & { readonly channel: AlertChannel }) {
  const api = useApi();
  const queries = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const onSettled = () => queries.invalidateQueries({ queryKey: alertsKey(projectId) });
  const tried = useMutation({ mutationFn: () => testChannel(api, projectId, channel.id), onSettled });
  const remove = useMutation({ mutationFn: () => deleteChannel(api, projectId, channel.id), onSettled });
  const problem = tried.error?.message ?? channel.last_problem;
  return (
    <Table.Tr>
      <Table.Td fw={550}>{channel.name}</Table.Td>
      <Table.Td>{KINDS[channel.kind]}</Table.Td>
      <Table.Td>{channel.host}</Table.Td>
      <Table.Td>
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
      </Table.Td>
      {mayChange && (
        <Table.Td>
          <Group gap={6} wrap="nowrap" justify="flex-end">
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Test ${channel.name}`}
              loading={tried.isPending}
              onClick={() => tried.mutate()}
            >
              Test
            </Button>
            <Button size="compact-xs" variant="default" aria-label={`Delete ${channel.name}`} onClick={() => setDeleting(true)}>
              Delete
            </Button>
          </Group>
          <ConfirmDelete
            opened={isDeleting}
            title={`Delete “${channel.name}”?`}
            description="Alerts that tell it tell it no more. To have it back, its address has to be entered again."
            isPending={remove.isPending}
            error={remove.error}
            onKeep={() => setDeleting(false)}
            onDelete={() => remove.mutate()}
          />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

const EMPTY = { name: "", kind: "slack", url: "" } as const;

/** The secret is in this component's memory only, and gone with it. */
function AddChannel({ projectId }: { readonly projectId: string }) {
  const api = useApi();
  const queries = useQueryClient();
  const [channel, setChannel] = useState<{ name: string; kind: "slack" | "webhook"; url: string }>(EMPTY);
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [created, setCreated] = useState<CreatedAlertChannel>();
  const create = useMutation({
    mutationFn: () => createChannel(api, projectId, channel),
    gcTime: 0,
    onSuccess: async (made) => {
      setChannel({ ...EMPTY, kind: channel.kind });
      setCreated(made);
      await queries.invalidateQueries({ queryKey: alertsKey(projectId) });
    },
  });

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    const issues = createAlertChannelRequestSchema.safeParse(channel).error?.issues ?? [];
    setProblems(new Map(issues.map(({ path: [field = ""], message }) => [String(field), message])));
    if (issues.length === 0) {
      create.mutate();
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" px="lg" py="lg">
        <Group align="flex-start" gap="xs">
          <NativeSelect
            label="Kind"
            data={[
              { value: "slack", label: "Slack" },
              { value: "webhook", label: "Webhook" },
            ]}
            value={channel.kind}
            onChange={(event) => setChannel({ ...channel, kind: alertChannelKindSchema.parse(event.currentTarget.value) })}
          />
          <TextInput
            label="Name"
            placeholder="#agents"
            maxLength={100}
            autoComplete="off"
            value={channel.name}
            error={problems.get("name")}
            onChange={(event) => setChannel({ ...channel, name: event.currentTarget.value })}
          />
          <TextInput
            flex="1 1 260px"
            label="Address"
            placeholder={channel.kind === "slack" ? "https://hooks.slack.com/services/…" : "https://example.org/alerts"}
            autoComplete="off"
            spellCheck={false}
            value={channel.url}
            error={problems.get("url") ?? create.error?.message}
            onChange={(event) => setChannel({ ...channel, url: event.currentTarget.value })}
          />
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
