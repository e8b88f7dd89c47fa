import { Box, Stack, Text, Title } from "@mantine/core";
import type { SharedStep, SharedTrace } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { sharedQuery } from "#features/sharing/api/share-links.ts";
import { Content } from "#features/traces/details/content.tsx";
import { Fold } from "#features/traces/details/fold.tsx";
import { Brand } from "#shell/brand.tsx";
import { ErrorState } from "#ui/kit/list-states.tsx";
import { Page } from "#ui/page/page.tsx";
import { useTitle } from "#ui/page/use-title.ts";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import { formatCost, formatDuration, plural } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { kindLabel } from "#ui/words/step-kind.ts";
import { STATUSES } from "#ui/words/trace-status.tsx";

const route = getRouteApi("/shared/$token");

/** Values that are too long are cut, so that nothing more of them is asked for. */
const OF = { projectId: "", traceId: "" };
const MAX_INDENTS = 6;

/** One trace, for whoever has the link to it. */
export function SharedPage() {
  const { token } = route.useParams();
  const shared = useQuery(sharedQuery(token));
  useTitle("Shared trace");
  return (
    <main id="main" tabIndex={-1}>
      <meta name="robots" content="noindex, nofollow" />
      <Page>
        <Brand />
        {shared.data !== undefined && <Shared trace={shared.data} />}
        {shared.error !== null && <ErrorState order={1} title="Nothing is shown" error={shared.error} />}
      </Page>
    </main>
  );
}

function Shared({ trace }: { readonly trace: SharedTrace }) {
  return (
    <Stack mt="lg">
      <Title order={1}>
        <SafeText text={trace.name} />
      </Title>
      <Text size="sm">
        {factsOf(trace)}, <ExactTime at={trace.started_at} />. The link is valid until <ExactTime at={trace.expires_at} />.
      </Text>
      <Title order={2}>{trace.shows.includes("content") ? "What went in and out" : "What went in and out is not shown"}</Title>
      <Content {...trace} of={OF} kind={undefined} reasoning={null} />
      <Title order={2}>
        {plural(trace.steps.length, "step", "steps")}
        {trace.truncated && ", not all of it is shown"}
      </Title>
      {trace.steps.map((step, place) => (
        <Box key={place} pl={16 * Math.min(step.depth, MAX_INDENTS)}>
          <Fold title={`${step.name} · ${kindLabel(step.kind)} · ${factsOf(step)}`}>
            {step.code !== null && <SafeText text={`${step.code.function ?? ""} ${step.code.file}:${step.code.line}`} />}
            <Content {...step} of={OF} />
          </Fold>
        </Box>
      ))}
    </Stack>
  );
}

function factsOf({ status, duration_ms: duration, input_tokens: given, output_tokens: said, cost }: SharedTrace | SharedStep): string {
  const tokens = given === null && said === null ? [] : [plural((given ?? 0) + (said ?? 0), "token", "tokens")];
  const known = [duration === null ? [] : formatDuration(duration), tokens, cost === null ? [] : formatCost(cost)].flat();
  return [STATUSES[status].label, ...known].join(", ");
}
