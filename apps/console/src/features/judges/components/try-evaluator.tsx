import { Anchor, Button, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import type { EvaluatorDefinition, TriedEvaluator } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { estimateJudging, tryJudge } from "#features/judges/api/judges.ts";
import { useChange } from "#http/use-change.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { FailedChange } from "#ui/kit/failed-change.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatCost, formatExactCount } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { valueInWords } from "./judgement-states.ts";

type Props = { readonly projectId: string; readonly definition: EvaluatorDefinition };
type Tried = { readonly traceId: string; readonly result: TriedEvaluator };

type Estimated = { readonly matching: number; readonly chosen: number; readonly about: number | null; readonly at_most: number | null };

export function estimateInWords({ matching, chosen, about, at_most: most }: Estimated): string {
  const cost =
    about === null || most === null
      ? "the model has no price"
      : most === 0
        ? "free"
        : `about ${formatCost(about)}, at most ${formatCost(most)}`;
  return `${formatExactCount(chosen)} of ${formatExactCount(matching)} traces: ${cost}.`;
}

/** Judges 20 traces by a draft, one after the other, once it was told what that costs. */
export function TryEvaluator({ projectId, definition }: Props) {
  const [q, setQ] = useState("");
  const [tried, setTried] = useState<readonly Tried[]>([]);
  const estimate = useChange({ send: () => estimateJudging(projectId, { definition, q }), onSuccess: () => setTried([]) });
  const judge = useChange({
    send: async (traceIds: readonly string[], api) => {
      for (const traceId of traceIds) {
        const result = await api.request(tryJudge(projectId, definition, traceId));
        setTried((before) => [...before, { traceId, result }]);
      }
    },
  });
  const chosen = estimate.data?.trace_ids ?? [];
  return (
    <Stack gap="xs" component="section" aria-label="Try it">
      <Title order={3} size="h5">
        Try it on 20 traces
      </Title>
      <Group align="flex-end" gap="xs">
        <TextInput label="Query" flex="1 1 220px" placeholder="all traces" maxLength={1_000} spellCheck={false} {...typedInto(q, setQ)} />
        <Button variant="default" loading={estimate.isPending} onClick={() => estimate.mutate()}>
          {definition.kind === "checks" ? "How many are there?" : "What does it cost?"}
        </Button>
        <Button
          variant="default"
          loading={judge.isPending}
          disabled={chosen.length === 0 || tried.length > 0}
          onClick={() => judge.mutate(chosen)}
        >
          Try it
        </Button>
      </Group>
      <FailedChange error={estimate.error ?? judge.error} title="It was not tried" />
      <div role="status">{estimate.data !== undefined && <Dimmed>{estimateInWords(estimate.data)}</Dimmed>}</div>
      {tried.length > 0 && (
        <DataTable
          label="What it says"
          minWidth={560}
          rows={tried}
          rowKey={({ traceId }) => traceId}
          columns={[
            {
              header: "Trace",
              render: ({ traceId }) => (
                <Anchor component={Link} to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId }}>
                  …{traceId.slice(-8)}
                </Anchor>
              ),
            },
            {
              header: "Verdict",
              render: ({ result: { score, state } }) => <Text fw={550}>{score === null ? state : valueInWords(score)}</Text>,
            },
            { header: "Why", render: ({ result: { explanation, reason } }) => <SafeText text={explanation ?? reason ?? ""} /> },
            { header: "Cost", align: "right", render: ({ result: { cost } }) => (cost === null ? "–" : formatCost(cost)) },
          ]}
        />
      )}
    </Stack>
  );
}
