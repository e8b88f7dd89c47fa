import { Button, Paper, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import {
  type AlignmentFilter,
  type ComparedTrace,
  type Comparison,
  alignmentFilterSchema,
  describeDivergence,
} from "@sightline/observability/contract";
import { IconArrowsExchange, IconGitCompare } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { type Compared, comparisonQuery, named } from "#features/compare/api/compare.ts";
import { AlignedSteps } from "#features/compare/components/aligned-steps.tsx";
import { Figures } from "#features/compare/components/figures.tsx";
import { InputAndOutput } from "#features/compare/components/input-and-output.tsx";
import { PickTrace } from "#features/compare/components/pick-trace.tsx";
import { RunCard } from "#features/compare/components/run-card.tsx";
import { EmptyPanel, Unanswered } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";
import classes from "./compare-page.module.css";
import { formatExactCount } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/compare");

export function ComparePage() {
  const { projectId } = route.useParams();
  const { a, b } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <WidePage>
      <PageHeader title="Compare two traces" description="Differences in steps, values, prompts, tokens, time and code">
        <Button variant="default" renderRoot={(props) => <Link {...props} to="/projects/$projectId/compare/sets" params={{ projectId }} />}>
          Compare two sets
        </Button>
      </PageHeader>
      {a === undefined || b === undefined ? (
        <Paper>
          <EmptyPanel
            icon={<IconGitCompare />}
            title={a === undefined && b === undefined ? "Choose the first of two traces" : "Choose the trace to compare with"}
            description="Or open a trace and compare it from there with the previous one."
          >
            <PickTrace
              projectId={projectId}
              label="Choose a trace"
              query=""
              except={[a, b].filter((id) => id !== undefined)}
              onPick={(id) => void navigate({ search: a === undefined ? { a: id, b } : { a, b: id } })}
            />
          </EmptyPanel>
        </Paper>
      ) : (
        <Compare key={`${a} ${b}`} compared={{ projectId, a, b }} />
      )}
    </WidePage>
  );
}

function Compare({ compared }: { readonly compared: Compared }) {
  const { a, b, projectId } = compared;
  const navigate = route.useNavigate();
  const search = route.useSearch();
  const show = alignmentFilterSchema.safeParse(search.show).data ?? "all";
  const comparison = useInfiniteQuery(comparisonQuery(compared, show));
  const [first] = comparison.data?.pages ?? [];
  if (first === undefined) {
    return <Unanswered query={comparison} failed="The traces could not be compared" />;
  }
  const run = (side: "A" | "B", trace: ComparedTrace, other: ComparedTrace, onPick: (id: string) => void) => (
    <RunCard side={side} projectId={projectId} trace={trace}>
      <PickTrace projectId={projectId} label={`Change ${side}`} query={named(other.name)} except={[trace.id, other.id]} onPick={onPick} />
    </RunCard>
  );
  return (
    <Stack gap="xl">
      <div className={classes.runs}>
        {run("A", first.a, first.b, (id) => void navigate({ search: { a: id, b } }))}
        <Button
          variant="default"
          className={classes.swap}
          leftSection={<IconArrowsExchange size={16} />}
          onClick={() => void navigate({ search: { a: b, b: a }, replace: true })}
        >
          Swap
        </Button>
        {run("B", first.b, first.a, (id) => void navigate({ search: { a, b: id } }))}
      </div>
      {first.cut.length > 0 && (
        <Text size="sm" c="var(--sl-warn)">
          Not everything is compared: {first.cut.join("; ")}.
        </Text>
      )}
      {first.first_divergence !== null && (
        <Text>
          <SafeText text={`B ${describeDivergence(first.first_divergence)}.`} />
        </Text>
      )}
      <Sections compared={compared} comparison={first} />
      <section aria-labelledby="steps">
        <div className={classes.bar}>
          <Title order={2} id="steps">
            Steps
          </Title>
          <SegmentedControl
            aria-label="Which steps are shown"
            value={show}
            onChange={(value) =>
              void navigate({ search: (before) => ({ ...before, show: value === "all" ? undefined : value }), replace: true })
            }
            data={choices(first.counts)}
          />
        </div>
        <Paper>
          <AlignedSteps
            steps={comparison.data?.pages.flatMap(({ steps }) => steps) ?? []}
            compared={compared}
            open={search.step}
            onOpen={(step) => void navigate({ search: (before) => ({ ...before, step }), replace: true, resetScroll: false })}
          />
          {first.steps_total === 0 && (
            <Text p="md" c="dimmed">
              There are no such steps.
            </Text>
          )}
        </Paper>
        {first.steps_total > 0 && <LoadMore list={comparison} />}
      </section>
    </Stack>
  );
}

function Sections({ compared, comparison }: { readonly compared: Compared; readonly comparison: Comparison }) {
  const { commits } = comparison;
  return (
    <div className={classes.sections}>
      <Section title="Input and output" isWide>
        <InputAndOutput compared={compared} comparison={comparison} />
      </Section>
      <Section title="Figures">
        <Figures comparison={comparison} />
      </Section>
      {commits.length > 0 && (
        <Section title="Code that ran">
          {commits.map(({ repo, a, b }) => (
            <Text key={repo ?? ""} size="sm">
              {repo ?? "Unknown repository"}:{" "}
              {a.join() === b.join() ? `both at ${shortCommits(a)}` : `${shortCommits(a)} → ${shortCommits(b)}`}
            </Text>
          ))}
        </Section>
      )}
    </div>
  );
}

function shortCommits(commits: readonly string[]): string {
  return commits.length === 0 ? "no commit known" : commits.map((commit) => commit.slice(0, 10)).join(", ");
}

type SectionProps = { readonly title: string; readonly isWide?: boolean; readonly children: React.ReactNode };

function Section({ title, isWide = false, children }: SectionProps) {
  return (
    <section className={classes.section} data-wide={isWide || undefined}>
      <Title order={2} mb="xs">
        {title}
      </Title>
      <Paper className={classes.panel} role="group" aria-label={title} tabIndex={0}>
        {children}
      </Paper>
    </section>
  );
}

function choices({ same, changed, only_a: onlyA, only_b: onlyB }: Comparison["counts"]) {
  const choice = (value: AlignmentFilter, label: string, count: number) => ({ value, label: `${label} ${formatExactCount(count)}` });
  return [
    choice("all", "All", same + changed + onlyA + onlyB),
    choice("different", "Different", changed + onlyA + onlyB),
    choice("changed", "Changed", changed),
    choice("only_a", "Only A", onlyA),
    choice("only_b", "Only B", onlyB),
    choice("same", "Same", same),
  ];
}
