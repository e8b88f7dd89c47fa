import { Anchor, Button, Stack, Text } from "@mantine/core";
import type { AnnotatedTrace, AnnotationQueue, Agreement, Label, TraceDigest } from "@sightline/observability/contract";
import { IconPencilCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { claimQuery, disputedQuery, queuesQuery } from "#features/annotation/api/annotation.ts";
import { LabelForm } from "#features/annotation/components/label-form.tsx";
import { AddToDataset } from "#features/datasets/components/add-to-dataset.tsx";
import { digestQuery } from "#features/traces/api/trace.ts";
import { Content } from "#features/traces/details/content.tsx";
import { Fold } from "#features/traces/details/fold.tsx";
import { scoreConfigsQuery } from "#features/traces/scores/score-configs.ts";
import { TraceTranscript } from "#features/traces/transcript/trace-transcript.tsx";
import { EmptyPanel, Unanswered } from "#ui/kit/list-states.tsx";
import { Section } from "#ui/kit/panel.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";
import { plural } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/annotation/$queueId");

/** One trace of a queue after the other: those to label, or those whose labels differ. */
export function QueuePage() {
  const { projectId, queueId } = route.useParams();
  const resolves = route.useSearch().show === "disputed";
  const queues = useQuery(queuesQuery(projectId));
  const disputed = useQuery(disputedQuery(projectId, queueId));
  const claim = useQuery({ ...claimQuery(projectId, queueId), enabled: !resolves });
  const queue = queues.data?.find(({ id }) => id === queueId);
  const answer = [queues, resolves ? disputed : claim].find(({ data }) => data === undefined);
  if (answer !== undefined || queue === undefined) {
    return (
      <WidePage>
        <Unanswered query={answer ?? queues} failed="The queue could not be loaded" />
      </WidePage>
    );
  }
  const [first] = disputed.data?.items ?? [];
  const traceId = resolves ? first?.trace_id : claim.data?.trace_id;
  return (
    <WidePage>
      <PageHeader
        title={<SafeText text={queue.name} />}
        documentTitle={`${queue.name} · Annotation`}
        description={`${queue.done} of ${queue.traces} done, ${queue.for_you} for you`}
      >
        <Button
          component={Link}
          variant="default"
          to="/projects/$projectId/annotation/$queueId"
          params={{ projectId, queueId }}
          search={resolves ? {} : { show: "disputed" }}
        >
          {resolves ? "Label" : `Disagreements (${queue.disputed})`}
        </Button>
      </PageHeader>
      <Stack gap="lg">
        {traceId ? (
          <QueuedTrace key={traceId} queue={queue} traceId={traceId} said={resolves ? first : undefined} />
        ) : (
          <EmptyPanel
            icon={<IconPencilCheck />}
            title={resolves ? "No disagreements" : "Nothing waits for you"}
            description={resolves ? "Traces whose labels differ come here." : "What others hold comes back when they don't label it."}
          />
        )}
        {resolves && (
          <Section title="Agreement beyond chance">
            {disputed.data?.agreement.map((each) => (
              <Text key={each.name}>
                <SafeText text={agreementInWords(each)} />
              </Text>
            ))}
          </Section>
        )}
      </Stack>
    </WidePage>
  );
}

const pick = ({ input, output, error }: TraceDigest) => ({ input, output, error });

type QueuedTraceProps = { readonly queue: AnnotationQueue; readonly traceId: string; readonly said: AnnotatedTrace | undefined };

function QueuedTrace({ queue, traceId, said }: QueuedTraceProps) {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const { data: configs = [] } = useQuery(scoreConfigsQuery(projectId));
  const trace = useQuery(digestQuery(projectId, traceId));
  const [isCorrecting, setCorrecting] = useState(false);
  const open = { to: "/projects/$projectId/traces/$traceId", params: { projectId, traceId } } as const;
  if (trace.data === undefined) {
    return <Unanswered query={trace} failed="The trace could not be loaded" />;
  }
  return (
    <>
      <Section
        title={
          <Anchor component={Link} {...open} underline="always" inherit>
            <SafeText text={trace.data.name ?? "Trace"} />
          </Anchor>
        }
      >
        <Stack gap="md">
          <Content of={{ projectId, traceId }} kind={undefined} reasoning={null} {...pick(trace.data)} />
          <Fold title="Transcript">
            <TraceTranscript
              projectId={projectId}
              trace={trace.data}
              steps={[]}
              complete
              selected=""
              onSelect={() => void navigate(open)}
            />
          </Fold>
          {queue.rubric !== "" && (
            <Fold title="How to label">
              <Text style={{ whiteSpace: "pre-wrap" }}>
                <SafeText text={queue.rubric} />
              </Text>
            </Fold>
          )}
        </Stack>
      </Section>
      {said !== undefined && <Labels said={said} />}
      <LabelForm
        projectId={projectId}
        queueId={queue.id}
        traceId={traceId}
        configs={queue.scores.flatMap((name) => configs.filter((config) => config.name === name))}
        resolves={said !== undefined}
        onCorrect={() => setCorrecting(true)}
      />
      {isCorrecting && (
        <AddToDataset projectId={projectId} traceIds={[traceId]} correctsIn={queue.dataset_id} onClose={() => setCorrecting(false)} />
      )}
    </>
  );
}

function Labels({ said }: { readonly said: AnnotatedTrace }) {
  return (
    <Section title="Labels that differ">
      {said.annotations.map(({ annotator, labels, reason }, person) => (
        <Text key={annotator}>
          Person {person + 1}:{" "}
          <SafeText text={reason === null ? labels.map((label) => labelInWords(label)).join(", ") : `skipped, ${reason}`} />
        </Text>
      ))}
    </Section>
  );
}

function labelInWords({ name, data_type: type, value, text_value: text, comment }: Label): string {
  const said = type === "boolean" ? (value === 1 ? "yes" : "no") : (text ?? String(value));
  return `${name} ${said}${comment === null ? "" : ` (${comment})`}`;
}

function agreementInWords({ name, traces, alpha, kappa }: Agreement): string {
  const said = Object.entries({ "Krippendorff's α": alpha, "Cohen's κ": kappa }).flatMap(([figure, interval]) => {
    const [value, low, high] = interval === null ? [] : [interval.value, interval.low, interval.high].map((number) => number.toFixed(2));
    return value === undefined ? [] : [`${figure} ${value} (95%: ${low} to ${high})`];
  });
  return `${name}, ${plural(traces, "trace", "traces")}: ${said.length === 0 ? "nothing tells it from chance" : said.join(", ")}`;
}
