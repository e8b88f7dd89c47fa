import { Button, Group, Text } from "@mantine/core";
import { isToldOnly, type AlertChannel, type AlertRule } from "@sightline/observability/contract";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { METRICS, ruleInWords } from "#features/alerts/rule-words.ts";
import { Uncalibrated } from "#features/judges/components/uncalibrated.tsx";
import { DataTable } from "#ui/kit/data-table.tsx";
import { Status, type Tone } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import classes from "./alerts.module.css";

const STATES: Readonly<Record<AlertRule["state"], { readonly tone: Tone; readonly label: string }>> = {
  ok: { tone: "ok", label: "OK" },
  firing: { tone: "bad", label: "Firing" },
  unknown: { tone: "idle", label: "Not known yet" },
};

type RuleTableProps = {
  readonly projectId: string;
  readonly rules: readonly AlertRule[];
  readonly channels: readonly AlertChannel[];
  readonly mayChange: boolean;
  readonly onEdit: (rule: AlertRule) => void;
  readonly onSwitch: (rule: AlertRule) => void;
  readonly onDelete: (rule: AlertRule) => void;
};

export function RuleTable({ projectId, rules, channels, mayChange, onEdit, onSwitch, onDelete }: RuleTableProps) {
  return (
    <DataTable
      label="Alerts"
      minWidth={760}
      isInPanel
      highlightOnHover
      verticalSpacing="xs"
      horizontalSpacing="sm"
      rows={rules}
      rowKey={({ id }) => id}
      columns={[
        {
          header: "Alert",
          render: (rule) => (
            <>
              <Text fw={550}>{rule.name}</Text>
              <Dimmed>
                When {ruleInWords(rule)}
                <Uncalibrated projectId={projectId} score={{ name: rule.filter.score, source: rule.filter.source }} />
              </Dimmed>
            </>
          ),
        },
        { header: "State", td: { miw: 150, maw: 260 }, render: (rule) => <State rule={rule} /> },
        {
          header: "Now",
          align: "right",
          td: { className: classes.value ?? "" },
          render: (rule) => (rule.last_value === null ? "–" : METRICS[rule.metric].write(rule.last_value)),
        },
        { header: "Sends to", render: (rule) => namesOf(channels, rule) || <Nobody /> },
        mayChange && {
          header: "Actions",
          isHidden: true,
          render: (rule) => (
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
          ),
        },
      ]}
    />
  );
}

function namesOf(channels: readonly AlertChannel[], rule: AlertRule): string {
  const told = channels.filter(({ id }) => rule.channels.includes(id));
  return told.map(({ name }) => name).join(", ");
}

export function Nobody() {
  return <Dimmed span>nobody</Dimmed>;
}

function State({ rule }: { readonly rule: AlertRule }) {
  if (!rule.is_enabled) {
    return <Status tone="idle">Paused</Status>;
  }
  const { tone, label } = STATES[rule.state];
  return (
    <>
      <Status tone={rule.problem === null ? tone : "warn"}>{rule.problem === null ? label : "Could not be read"}</Status>
      <Dimmed>
        {rule.problem ??
          (isToldOnly(rule.metric) ? (
            `told when ${rule.metric === "issues" ? "it is found" : "it has finished"}`
          ) : rule.since === null ? (
            "within a minute"
          ) : (
            <>
              changed <TimeStamp at={rule.since} />
            </>
          ))}
      </Dimmed>
    </>
  );
}
