import { Button, Group, Paper, Select, Stack, Text, Title } from "@mantine/core";
import { quoteTraceValue } from "@sightline/observability/contract";
import { IconGitCompare } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { releasesQuery, setComparisonQuery } from "#features/compare/api/compare.ts";
import { SetFigures, SetSteps } from "#features/compare/components/set-figures.tsx";
import { QueryBar } from "#features/traces/list/query/query-bar.tsx";
import { EmptyPanel, Unanswered } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";
import { formatExactCount, plural } from "#ui/words/format.ts";
import classes from "./compare-sets-page.module.css";

const route = getRouteApi("/signed-in/projects/$projectId/compare/sets");

const SPANS = [
  { value: "24", label: "Last 24 hours" },
  { value: "168", label: "Last 7 days" },
  { value: "720", label: "Last 30 days" },
  { value: "2160", label: "Last 90 days" },
];
const SPAN = "720";

/** Two sets of traces beside each other: a release and the one before it. */
export function CompareSetsPage() {
  const { projectId } = route.useParams();
  const { a = "", b = "", hours } = route.useSearch();
  const navigate = route.useNavigate();
  const span = SPANS.some(({ value }) => value === hours) ? (hours ?? SPAN) : SPAN;
  const change = (next: { a?: string; b?: string; hours?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  const { data: releases } = useQuery(releasesQuery(projectId));
  const [newest, before] = releases?.items.map(({ value }) => value) ?? [];
  const shortcut = newest !== undefined && before !== undefined && (
    <Button
      variant="default"
      leftSection={<IconGitCompare size={16} />}
      onClick={() => change({ a: `release:${quoteTraceValue(before)}`, b: `release:${quoteTraceValue(newest)}` })}
    >
      Release {newest} against {before}
    </Button>
  );
  const side = (name: "a" | "b", value: string) => (
    <div>
      <Text size="sm" fw={550} mb={4} aria-hidden="true">
        Set {name.toUpperCase()}
      </Text>
      <QueryBar
        label={`Set ${name.toUpperCase()}`}
        placeholder={name === "a" ? "release:1.3" : "release:1.4"}
        projectId={projectId}
        value={value}
        onChange={(text) => change({ [name]: text === "" ? undefined : text })}
        onEnterResults={() => undefined}
      />
    </div>
  );
  return (
    <WidePage>
      <PageHeader title="Compare two sets of traces" description="Compare two queries: failures, durations, cost, tokens and steps">
        <Button variant="default" renderRoot={(props) => <Link {...props} to="/projects/$projectId/compare" params={{ projectId }} />}>
          Compare two traces
        </Button>
      </PageHeader>
      <Stack gap="lg">
        <div className={classes.sets}>
          {side("a", a)}
          {side("b", b)}
          <Select
            label="Time"
            classNames={{ input: classes.time }}
            size="sm"
            data={SPANS}
            value={span}
            allowDeselect={false}
            onChange={(value) => change({ hours: value ?? SPAN })}
          />
        </div>
        {a === "" || b === "" ? (
          <Paper>
            <EmptyPanel
              icon={<IconGitCompare />}
              title="Choose two sets"
              description="Same syntax as the trace list, e.g. release:1.3 and release:1.4, or model:a* and model:b*."
            >
              {shortcut}
            </EmptyPanel>
          </Paper>
        ) : (
          <>
            <Group>{shortcut}</Group>
            <Compared projectId={projectId} sets={{ a, b, hours: Number(span) }} />
          </>
        )}
      </Stack>
    </WidePage>
  );
}

function Compared({ projectId, sets }: { readonly projectId: string; readonly sets: { a: string; b: string; hours: number } }) {
  const query = useQuery(setComparisonQuery(projectId, sets));
  if (query.data === undefined || query.error !== null) {
    return <Unanswered query={query} failed="The sets could not be compared" />;
  }
  const { a, b, is_counting: isCounting } = query.data;
  const [ofA, ofB] = [a, b].map(
    ({ traces, is_cut: isCut }) => `${isCut ? "the newest " : ""}${formatExactCount(traces)} ${traces === 1 ? "trace" : "traces"}`,
  );
  return (
    <>
      {isCounting && (
        <Text size="sm" c="var(--sl-warn)" role="status">
          Traces are being counted that are not in these figures yet.
        </Text>
      )}
      <section>
        <Title order={2} mb={4}>
          Figures
        </Title>
        <Dimmed mb="xs">
          A: {ofA}, B: {ofB}. A figure is called higher or lower only where the two 95% ranges do not overlap.
        </Dimmed>
        <Paper>
          <SetFigures comparison={query.data} />
        </Paper>
      </section>
      <section>
        <Title order={2} mb={4}>
          Steps
        </Title>
        <Dimmed mb="xs">
          In the newest {plural(a.traces_of_steps, "trace", "traces")} of A and {formatExactCount(b.traces_of_steps)} of B; steps that
          changed come first.
        </Dimmed>
        <Paper>
          {query.data.steps.length === 0 ? (
            <Text p="md" c="dimmed">
              Neither set has steps.
            </Text>
          ) : (
            <SetSteps comparison={query.data} />
          )}
        </Paper>
      </section>
    </>
  );
}
