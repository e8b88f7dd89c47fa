import { Button, Group, Modal, NativeSelect, NumberInput, Paper, Progress, Text, TextInput } from "@mantine/core";
import {
  createJudgeRuleRequestSchema,
  type CreateJudgeRuleRequest,
  type JudgeDetail,
  type JudgeRule,
  outputOf,
  RULE_KINDS,
} from "@sightline/observability/contract";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { createRule, estimateJudging, newestExperimentsQuery, judgesKey, makeUp, switchRule } from "#features/judges/api/judges.ts";
import { useChange } from "#http/use-change.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { FailedChange } from "#ui/kit/failed-change.tsx";
import { PanelHeader } from "#ui/kit/panel.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { asSentence, formatCost, formatExactCount, formatShare } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { Status } from "#ui/words/status.tsx";
import { countColumns } from "./evaluator-list.tsx";
import { estimateInWords } from "./try-evaluator.tsx";

type Kind = JudgeRule["kind"];
const KINDS: Readonly<Record<Kind, string>> = {
  live: "live traces, as they end",
  past: "traces of the past",
  experiment: "runs of an experiment",
};

type Props = { readonly projectId: string; readonly judge: JudgeDetail; readonly mayChange: boolean };

/** What an evaluator judges, how far it is, and what it spent. */
export function JudgeRules({ projectId, judge, mayChange }: Props) {
  const [isAdding, setAdding] = useState(false);
  const refreshing = { refreshes: [judgesKey(projectId)] };
  const turn = useChange({
    send: (rule: JudgeRule) => switchRule(projectId, judge.id, { id: rule.id, is_active: !rule.is_active }),
    ...refreshing,
  });
  const again = useChange({ send: (rule: JudgeRule) => makeUp(projectId, judge.id, rule.id), ...refreshing });
  return (
    <Paper component="section">
      <PanelHeader
        title="What it judges"
        about={
          judge.definition.kind === "checks"
            ? "Checks ask no model and cost nothing."
            : "A budget is never exceeded: what a call costs at the most is reserved before it, at list prices."
        }
      >
        {mayChange && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
            Judge…
          </Button>
        )}
      </PanelHeader>
      <FailedChange error={turn.error ?? again.error} title="It was not changed" />
      {judge.rules.length === 0 && (
        <Text px="lg" pb="lg" c="dimmed">
          It judges nothing yet.
        </Text>
      )}
      {judge.rules.length > 0 && (
        <DataTable
          label="What it judges"
          minWidth={900}
          isInPanel
          rows={judge.rules}
          rowKey={({ id }) => id}
          columns={[
            { header: "Judges", render: (rule) => <What rule={rule} /> },
            ...countColumns<JudgeRule>(),
            {
              header: "Spent",
              align: "right",
              render: ({ spent, budget, kind }) =>
                `${formatCost(spent)}${budget === null ? "" : ` of ${formatCost(budget)}`}${kind === "live" ? " today" : ""}`,
            },
            mayChange && {
              header: "Actions",
              isHidden: true,
              render: (rule) => {
                const left = rule.counts.skipped + rule.counts.failed + rule.counts.over_budget;
                return (
                  <Group gap={6} justify="flex-end" wrap="nowrap">
                    {left > 0 && (
                      <Button size="compact-xs" variant="default" loading={again.isPending} onClick={() => again.mutate(rule)}>
                        Make up for {formatExactCount(left)}
                      </Button>
                    )}
                    {(rule.kind === "live" || rule.counts.waiting > 0) && (
                      <Button size="compact-xs" variant="default" loading={turn.isPending} onClick={() => turn.mutate(rule)}>
                        {rule.kind !== "live" ? "Cancel" : rule.is_active ? "Switch off" : "Switch on"}
                      </Button>
                    )}
                  </Group>
                );
              },
            },
          ]}
        />
      )}
      {isAdding && <AddRule projectId={projectId} judge={judge} onClose={() => setAdding(false)} />}
    </Paper>
  );
}

function What({ rule }: { readonly rule: JudgeRule }) {
  const { kind, q, sampling, is_active: isActive, counts, problem, undecided } = rule;
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const share = all === 0 ? 1 : 1 - counts.waiting / all;
  const isOn = kind === "live" ? isActive : counts.waiting > 0;
  return (
    <>
      <Status tone={isOn ? "busy" : "idle"}>{KINDS[kind]}</Status>
      {(q !== "" || sampling < 1) && (
        <Dimmed>
          <SafeText text={q === "" ? "all" : q} />
          {sampling < 1 && `, ${formatShare(sampling)} of them`}
        </Dimmed>
      )}
      {problem !== null && <Status tone="bad">{`${isActive ? "" : "Switched off. "}${problem}`}</Status>}
      {undecided > 0 && (
        <Dimmed>
          {formatExactCount(undecided)} not looked at yet{problem === null && ": their words are being read"}
        </Dimmed>
      )}
      {kind !== "live" && counts.waiting > 0 && <Progress value={100 * share} aria-label={`${formatShare(share)} done`} mt={4} />}
    </>
  );
}

function AddRule({ projectId, judge, onClose }: Omit<Props, "mayChange"> & { readonly onClose: () => void }) {
  const isPair = outputOf(judge.definition).type === "preference";
  const kinds = RULE_KINDS.filter((each) => each === "experiment" || !isPair);
  const [kind, setKind] = useState<Kind>(kinds[0] ?? "live");
  const [q, setQ] = useState("");
  const [percent, setPercent] = useState<number | string>(10);
  const [size, setSize] = useState<number | string>(200);
  const [experiment, setExperiment] = useState("");
  const [baseline, setBaseline] = useState("");
  const isFree = judge.definition.kind === "checks";
  const [dollars, setDollars] = useState<number | string>(isFree ? "" : 1);
  const asked = useQuery({ ...newestExperimentsQuery(projectId), enabled: kind === "experiment" });
  const experiments = (asked.data ?? []).filter(({ state }) => state !== "running");
  const chosen = experiments.find(({ id }) => id === experiment) ?? experiments[0];
  const others = experiments.filter((each) => each.id !== chosen?.id && each.dataset_id === chosen?.dataset_id);
  const other = others.find(({ id }) => id === baseline) ?? others[0];
  const create = useChange({
    send: (body: CreateJudgeRuleRequest) => createRule(projectId, judge.id, body),
    refreshes: [judgesKey(projectId)],
    onSuccess: onClose,
  });
  const estimate = useChange({ send: () => estimateJudging(projectId, { definition: judge.definition, q, size: Number(size) }) });
  const read = createJudgeRuleRequestSchema.safeParse({
    kind,
    budget: dollars === "" ? null : Number(dollars),
    ...(kind === "live"
      ? { q, sampling: Number(percent) / 100 }
      : kind === "past"
        ? { q, size: Number(size) }
        : { experiment_id: chosen?.id, ...(isPair ? { baseline_id: other?.id ?? "" } : {}) }),
  });
  return (
    <Modal opened onClose={onClose} title={`Judge with “${judge.name}”`} size="lg">
      <DialogForm
        change={create}
        failed="It was not begun"
        submit={kind === "live" ? "Switch on" : "Begin"}
        disabled={!read.success}
        onSubmit={() => read.success && create.mutate(read.data)}
        onCancel={onClose}
      >
        <NativeSelect
          label="What"
          data-autofocus
          data={kinds.map((value) => ({ value, label: KINDS[value] }))}
          value={kind}
          onChange={({ currentTarget }) => setKind(RULE_KINDS.find((each) => each === currentTarget.value) ?? "live")}
        />
        {kind === "experiment" ? (
          <NativeSelect
            label="Experiment"
            data={experiments.map(({ id, name }) => ({ value: id, label: name }))}
            value={chosen?.id ?? ""}
            onChange={({ currentTarget }) => setExperiment(currentTarget.value)}
            error={experiments.length === 0 ? "No experiment is finished yet." : undefined}
          />
        ) : (
          <TextInput
            label="Query"
            description="As in the list of traces."
            placeholder="all traces"
            maxLength={1_000}
            spellCheck={false}
            {...typedInto(q, setQ)}
          />
        )}
        {isPair && (
          <NativeSelect
            label="Compared with"
            description="Each pair of runs is asked about twice, sides swapped."
            data={others.map(({ id, name }) => ({ value: id, label: name }))}
            value={other?.id ?? ""}
            onChange={({ currentTarget }) => setBaseline(currentTarget.value)}
            error={others.length === 0 ? "No other experiment over its dataset is finished." : undefined}
          />
        )}
        <Group align="flex-start" grow>
          {kind === "live" && <NumberInput label="Of them" suffix="%" min={0.01} max={100} value={percent} onChange={setPercent} />}
          {kind === "past" && <NumberInput label="How many" min={1} max={10_000} value={size} onChange={setSize} />}
          {!isFree && (
            <NumberInput
              label={kind === "live" ? "Budget of a day" : "Budget"}
              description="Empty: as much as it takes."
              prefix="$"
              min={0.01}
              value={dollars}
              onChange={setDollars}
            />
          )}
        </Group>
        {kind === "past" && (
          <Group gap="xs">
            <Button variant="default" size="xs" loading={estimate.isPending} onClick={() => estimate.mutate()}>
              {isFree ? "How many are there?" : "What does it cost?"}
            </Button>
            <Dimmed role="status">{estimate.data === undefined ? estimate.error?.message : estimateInWords(estimate.data)}</Dimmed>
          </Group>
        )}
        {!read.success && <Dimmed>{asSentence(read.error.issues[0]?.message ?? "")}</Dimmed>}
      </DialogForm>
    </Modal>
  );
}
