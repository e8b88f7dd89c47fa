import "@mantine/core/styles/Checkbox.layer.css";
import { Checkbox, Group, Modal, NativeSelect, Text, TextInput } from "@mantine/core";
import {
  type AlertChannel,
  type AlertFilter,
  type CreateAlertRuleRequest,
  alertMetricSchema,
  createAlertRuleRequestSchema,
  filterProblem,
  isOfScore,
  isToldOnly,
} from "@sightline/observability/contract";
import { useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useChange } from "#http/use-change.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { alertsKey, changeRule, createRule } from "#features/alerts/api/alerts.ts";
import { METRIC_CHOICES, METRICS, WINDOWS, comparison, windowInWords } from "#features/alerts/rule-words.ts";
import type { RuleDraft } from "#features/alerts/suggested-rules.ts";
import classes from "./alerts.module.css";
import { ScoreFields, ScoreWindow } from "./score-fields.tsx";

type Props = {
  readonly projectId: string;
  readonly draft: RuleDraft;
  readonly channels: readonly AlertChannel[];
  readonly onClose: () => void;
};

/** The filter of a metric before anything is chosen. */
function withoutValue(metric: string): AlertFilter {
  return metric === "matching" ? { query: "" } : metric.startsWith("score_") ? { score: "" } : {};
}

/** A rule as one sentence with gaps to fill in. */
export function RuleModal({ projectId, draft, channels, onClose }: Props) {
  const [rule, setRule] = useState(draft);
  const { unit, factor, narrowedBy } = METRICS[rule.metric];
  const [threshold, setThreshold] = useState(String(Number((draft.threshold / METRICS[draft.metric].factor).toPrecision(12))));
  const [problem, setProblem] = useState<string>();
  const [narrowing, which] = Object.entries(rule.filter)[0] ?? ["", ""];
  const save = useChange({
    send: (body: CreateAlertRuleRequest) => (rule.id === undefined ? createRule(projectId, body) : changeRule(projectId, rule.id, body)),
    refreshes: [alertsKey(projectId)],
    onRefreshed: onClose,
  });

  function submit(): void {
    const { id: _, channels: chosen, filter, ...fields } = rule;
    const kept = Object.fromEntries(Object.entries(filter).filter(([, text]) => text !== ""));
    const number = isToldOnly(rule.metric) ? 0 : threshold.trim() === "" ? Number.NaN : Number(threshold.replace(",", "."));
    const body = { ...fields, filter: kept, channels: [...chosen], threshold: Number((number * factor).toPrecision(12)) };
    const found = createAlertRuleRequestSchema.safeParse(body).error?.issues[0];
    const complaint = Number.isNaN(number) ? "Write a number for the limit." : (found?.message ?? filterProblem(rule.metric, kept));
    setProblem(complaint);
    if (complaint === undefined) {
      save.mutate(body);
    }
  }

  return (
    <Modal opened onClose={onClose} title={draft.id === undefined ? "New alert" : "Change this alert"} size="lg">
      <DialogForm
        change={problem === undefined ? save : { error: new Error(problem), isPending: save.isPending }}
        failed="The alert was not saved"
        submit="Save"
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextInput
          label="Name"
          placeholder="Many failures"
          maxLength={100}
          data-autofocus
          autoComplete="off"
          {...typedInto(rule.name, (next) => setRule({ ...rule, name: next }))}
        />
        <div className={classes.sentence}>
          <Text span>{isToldOnly(rule.metric) ? "Alert of" : "Alert when the"}</Text>
          <NativeSelect
            aria-label="Metric"
            data={METRIC_CHOICES}
            value={rule.metric}
            onChange={(event) =>
              setRule({
                ...rule,
                metric: alertMetricSchema.parse(event.currentTarget.value),
                filter: withoutValue(event.currentTarget.value),
              })
            }
          />
          {narrowedBy.length > 0 && (
            <>
              <Text span>{rule.metric === "matching" ? "that match" : "of"}</Text>
              {rule.metric !== "matching" && (
                <NativeSelect
                  aria-label="Only for"
                  data={[{ value: "", label: "all traces" }, ...narrowedBy.map((value) => ({ value, label: `the ${value}` }))]}
                  value={narrowing}
                  onChange={({ currentTarget: { value } }) => setRule({ ...rule, filter: value === "" ? {} : { [value]: "" } })}
                />
              )}
              {narrowing !== "" && (
                <TextInput
                  aria-label={narrowing === "query" ? "Query" : `Name of the ${narrowing}`}
                  placeholder={narrowing === "query" ? "tool:refund -node:ask" : "its whole name"}
                  maxLength={narrowing === "query" ? 1_000 : 200}
                  spellCheck={false}
                  value={which}
                  onChange={(event) => setRule({ ...rule, filter: { [narrowing]: event.currentTarget.value } })}
                />
              )}
            </>
          )}
          {isOfScore(rule.metric) && <ScoreFields filter={rule.filter} onChange={(filter) => setRule({ ...rule, filter })} />}
          {!isToldOnly(rule.metric) && (
            <>
              <Text span>{comparison(rule.metric)}</Text>
              <TextInput
                className={classes.number}
                aria-label="Limit"
                inputMode="decimal"
                autoComplete="off"
                rightSection={unit === "" ? undefined : <Dimmed span>{unit}</Dimmed>}
                {...typedInto(threshold, setThreshold)}
              />
              <Text span>in the last</Text>
              <NativeSelect
                aria-label="Window"
                data={[...new Set([...WINDOWS, rule.window_minutes])].map((minutes) => ({
                  value: String(minutes),
                  label: windowInWords(minutes),
                }))}
                value={String(rule.window_minutes)}
                onChange={(event) => setRule({ ...rule, window_minutes: Number(event.currentTarget.value) })}
              />
              {isOfScore(rule.metric) && (
                <ScoreWindow
                  filter={rule.filter}
                  isCompared={rule.metric === "score_worse"}
                  onChange={(filter) => setRule({ ...rule, filter })}
                />
              )}
            </>
          )}
        </div>
        {channels.length === 0 ? (
          <Dimmed>No channels yet, so it is shown on this page only. An owner can add a webhook or Slack below.</Dimmed>
        ) : (
          <Checkbox.Group label="Send to" value={[...rule.channels]} onChange={(chosen) => setRule({ ...rule, channels: chosen })}>
            <Group mt="xs" gap="lg">
              {channels.map(({ id, name }) => (
                <Checkbox key={id} value={id} label={name} />
              ))}
            </Group>
          </Checkbox.Group>
        )}
      </DialogForm>
    </Modal>
  );
}
