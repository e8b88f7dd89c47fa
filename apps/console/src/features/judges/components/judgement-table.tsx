import { Anchor, Group, NativeSelect, Text, Title } from "@mantine/core";
import { JUDGEMENT_STATES, type JudgeDetail, type JudgementState } from "@sightline/observability/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { judgementsQuery } from "#features/judges/api/judges.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ListOf } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatCost } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { Status, type Tone } from "#ui/words/status.tsx";
import { STATE_LABELS, valueInWords } from "./judgement-states.ts";

const TONES: Readonly<Record<JudgementState, Tone>> = {
  waiting: "busy",
  judged: "ok",
  skipped: "idle",
  failed: "bad",
  over_budget: "warn",
};

/** What became of each trace and run, with the reason. */
export function JudgementTable({ projectId, judge: { id: judgeId, counts } }: { readonly projectId: string; readonly judge: JudgeDetail }) {
  const [state, setState] = useState<JudgementState>();
  const list = useInfiniteQuery(judgementsQuery(projectId, judgeId, state));
  const { refetch } = list;
  const settled = counts.judged + counts.skipped + counts.failed + counts.over_budget;
  // The counts are asked for more often than what they are of.
  useEffect(() => {
    if (settled > 0) {
      void refetch();
    }
  }, [settled, refetch]);
  const linkTo = (traceId: string, text: string) => (
    <Anchor component={Link} to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId }} underline="always">
      {text}
    </Anchor>
  );
  return (
    <section aria-label="Judgements">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Judgements
        </Title>
        <NativeSelect
          aria-label="State"
          data={[{ value: "", label: "All states" }, ...JUDGEMENT_STATES.map((value) => ({ value, label: STATE_LABELS[value] }))]}
          value={state ?? ""}
          onChange={({ currentTarget }) => setState(JUDGEMENT_STATES.find((each) => each === currentTarget.value))}
        />
      </Group>
      <ListOf
        list={list}
        items={list.data?.pages.flatMap(({ items }) => items)}
        failed="The judgements could not be loaded"
        empty={<Dimmed p="lg">None.</Dimmed>}
      >
        {(items) => (
          <DataTable
            label="Judgements"
            minWidth={720}
            rows={items}
            rowKey={({ rule_id: ruleId, subject }) => `${ruleId} ${subject}`}
            columns={[
              {
                header: "Judged",
                render: ({ trace_id: id }) => (id === null ? "a run without a trace" : linkTo(id, `trace …${id.slice(-8)}`)),
              },
              { header: "State", render: ({ state: each }) => <Status tone={TONES[each]}>{STATE_LABELS[each]}</Status> },
              { header: "Verdict", render: ({ score }) => <Text fw={550}>{score === null ? "" : valueInWords(score)}</Text> },
              { header: "Why", render: ({ explanation, reason }) => <SafeText text={explanation ?? reason ?? ""} /> },
              { header: "Cost", align: "right", render: ({ cost }) => formatCost(cost) },
              { header: "By", render: ({ judge_trace_id: id }) => (id === null ? "–" : linkTo(id, "the judge’s trace")) },
              { header: "When", render: ({ ended_at: ended, chosen_at: chosen }) => <TimeStamp at={ended ?? chosen} /> },
            ]}
          />
        )}
      </ListOf>
    </section>
  );
}
