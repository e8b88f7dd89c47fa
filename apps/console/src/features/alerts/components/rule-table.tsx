import { Button, Group, Table, Text, VisuallyHidden } from "@mantine/core";
import type { AlertChannel, AlertRule } from "@sightline/observability/contract";
import { METRICS, ruleInWords } from "#features/alerts/rule-words.ts";
import panel from "#ui/kit/panel-table.module.css";
import { Status, type Tone } from "#ui/kit/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import classes from "./alerts.module.css";

const STATES: Readonly<Record<AlertRule["state"], { readonly tone: Tone; readonly label: string }>> = {
  ok: { tone: "ok", label: "Well" },
  firing: { tone: "bad", label: "Firing" },
  unknown: { tone: "idle", label: "Not known yet" },
};

export function RuleTable({
  rules,
  channels,
  mayChange,
  onEdit,
  onSwitch,
  onDelete,
}: {
  readonly rules: readonly AlertRule[];
  readonly channels: readonly AlertChannel[];
  readonly mayChange: boolean;
  readonly onEdit: (rule: AlertRule) => void;
  readonly onSwitch: (rule: AlertRule) => void;
  readonly onDelete: (rule: AlertRule) => void;
}) {
  return (
    <Table.ScrollContainer minWidth={760} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Alerts" } }}>
      <Table highlightOnHover verticalSpacing="xs" horizontalSpacing="sm" className={panel.table ?? ""}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Alert</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th ta="right">Now</Table.Th>
            <Table.Th>Tells</Table.Th>
            {mayChange && (
              <Table.Th>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rules.map((rule) => (
            <Table.Tr key={rule.id}>
              <Table.Td>
                <Text fw={550}>{rule.name}</Text>
                <Text size="sm" c="dimmed">
                  When the {ruleInWords(rule)}
                </Text>
              </Table.Td>
              <Table.Td miw={150} maw={260}>
                <State rule={rule} />
              </Table.Td>
              <Table.Td className={classes.value ?? ""}>
                {rule.last_value === null ? "–" : METRICS[rule.metric].write(rule.last_value)}
              </Table.Td>
              <Table.Td>
                {channels
                  .filter(({ id }) => rule.channels.includes(id))
                  .map(({ name }) => name)
                  .join(", ") || (
                  <Text span size="sm" c="dimmed">
                    nobody
                  </Text>
                )}
              </Table.Td>
              {mayChange && (
                <Table.Td>
                  <Group gap={6} wrap="nowrap" justify="flex-end">
                    <Button size="compact-xs" variant="default" aria-label={`Edit ${rule.name}`} onClick={() => onEdit(rule)}>
                      Edit
                    </Button>
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`${rule.is_enabled ? "Pause" : "Resume"} ${rule.name}`}
                      onClick={() => onSwitch(rule)}
                    >
                      {rule.is_enabled ? "Pause" : "Resume"}
                    </Button>
                    <Button size="compact-xs" variant="default" aria-label={`Delete ${rule.name}`} onClick={() => onDelete(rule)}>
                      Delete
                    </Button>
                  </Group>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function State({ rule }: { readonly rule: AlertRule }) {
  if (!rule.is_enabled) {
    return <Status tone="idle">Paused</Status>;
  }
  const { tone, label } = STATES[rule.state];
  return (
    <>
      <Status tone={rule.problem === null ? tone : "warn"}>{rule.problem === null ? label : "Could not be read"}</Status>
      <Text size="sm" c="dimmed">
        {rule.problem ??
          (rule.since === null ? (
            "within a minute"
          ) : (
            <>
              changed <TimeStamp at={rule.since} />
            </>
          ))}
      </Text>
    </>
  );
}
