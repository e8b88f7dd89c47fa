import { Skeleton } from "@mantine/core";
import type { Chart, TraceFigures } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { traceFiguresQuery } from "#features/dashboards/api/metrics.ts";
import type { AskedRange } from "#features/dashboards/api/asked-range.ts";
import { queryOfGroup } from "#features/dashboards/groupings.ts";
import { chartName, MEASURES } from "#features/dashboards/measures.ts";
import { endOfStep, stepLabel, wholeSeries } from "#features/dashboards/whole-series.ts";
import { PlainTable } from "#ui/kit/data-table.tsx";
import { Unanswered } from "#ui/kit/list-states.tsx";
import { capitalized, formatCount } from "#ui/words/format.ts";
import breakdown from "./breakdown.module.css";
import classes from "./chart-card.module.css";
import { Card, SeriesCard } from "./series-card.tsx";

const COLORS = ["node", "tool", "retriever", "llm", "span"].map((kind) => `var(--sl-kind-${kind})`);
const MAX_RANKED = 20;

export type ChartPlace = {
  readonly projectId: string;
  readonly range: AskedRange;
  /** The query that filters the dashboard, beside the chart's own. */
  readonly q: string;
  readonly onStep: (range: { readonly from: string; readonly to: string }, q: string) => void;
  /** A group's name, as a link to the traces that this query finds. */
  readonly link: (name: string, query: string) => ReactNode;
};

/** A chart that somebody saved, of the dashboard's time and filter. */
export function ChartCard({ chart, tools, ...place }: ChartPlace & { readonly chart: Chart; readonly tools: ReactNode }) {
  const { projectId, range } = place;
  const { measure, by, kind } = chart;
  const q = `${place.q} ${chart.query}`.trim();
  const groups = kind === "ranking" ? MAX_RANKED : COLORS.length;
  const figures = useQuery(traceFiguresQuery(projectId, range, { q, by: by ?? undefined, top: measure, groups }));
  if (figures.data === undefined) {
    return (
      <Card title={chart.name} summary={inWords(chart)} tools={tools}>
        <Unanswered query={figures} failed="The chart could not be loaded" loading={<Skeleton height={220} />} />
      </Card>
    );
  }
  const about = { title: chart.name, summary: summaryOf(chart, figures.data), note: noteOf(figures.data), tools };
  if (kind === "ranking") {
    return (
      <Card {...about}>
        <Ranking chart={chart} figures={figures.data} q={q} link={place.link} />
      </Card>
    );
  }
  const { format, isSum } = MEASURES[measure];
  return (
    <SeriesCard
      {...about}
      kind={kind === "bars" && isSum === true ? "bars" : "lines"}
      {...linesOf(chart, figures.data)}
      format={format}
      onStep={(time) => place.onStep({ from: time, to: endOfStep(time, figures.data.step) }, q)}
    />
  );
}

/** A line or a part of each bar for every group, named by its number since names may hold what a chart takes for a path. */
function linesOf({ measure, by }: Chart, figures: TraceFigures) {
  const { of, label } = MEASURES[measure];
  const { from, to, step } = figures;
  const lines = by === null ? [{ key: label, series: figures.series }] : figures.groups;
  const points = lines.map(({ series }) => wholeSeries({ from, to, step, series }));
  return {
    series: lines.map(({ key }, index) => ({
      name: `line${index}`,
      label: key === "" ? "(none)" : key,
      color: COLORS[index % COLORS.length] ?? "",
    })),
    rows: wholeSeries({ from, to, step, series: [] }).map(({ time }, row) => ({
      time,
      label: stepLabel(time, step),
      ...Object.fromEntries(
        points.map((line, index) => {
          const point = line[row];
          return [`line${index}`, point === undefined ? null : of(point)];
        }),
      ),
    })),
  };
}

type RankingProps = { readonly chart: Chart; readonly figures: TraceFigures; readonly q: string; readonly link: ChartPlace["link"] };

function Ranking({ chart: { name, measure, by }, figures, q, link }: RankingProps) {
  const { of, format, label } = MEASURES[measure];
  const groups = by === null ? [] : figures.groups;
  const highest = Math.max(0, ...groups.map((group) => of(group) ?? 0));
  const shown = (value: number | null) => (value === null ? "–" : format(value));
  if (by === null) {
    return <p className={classes.number}>{shown(of(figures.total))}</p>;
  }
  return (
    <div className={classes.ranking} tabIndex={0} role="region" aria-label={`${name} as a list`}>
      <PlainTable
        verticalSpacing={4}
        rows={groups}
        rowKey={({ key }) => key}
        columns={[
          {
            header: capitalized(by),
            className: classes.key,
            render: ({ key }) => {
              const query = queryOfGroup(by, key, q);
              return query === undefined ? "(none)" : link(key, query);
            },
          },
          {
            header: label,
            width: 220,
            render: (group) => (
              <div className={breakdown.bar}>
                <meter className={breakdown.meter} min={0} max={highest} value={of(group) ?? 0} aria-label={`Share of ${group.key}`} />
                <span>{shown(of(group))}</span>
              </div>
            ),
          },
        ]}
      />
    </div>
  );
}

/** `Cost by user where environment:production`. */
function inWords({ measure, by, query }: Chart): string {
  return `${chartName(measure, by)}${query.trim() === "" ? "" : ` where ${query.trim()}`}`;
}

function summaryOf(chart: Chart, { total, groups, groups_total: all }: TraceFigures): string {
  const { of, format, isSum } = MEASURES[chart.measure];
  const value = of(total);
  const first = all > groups.length ? `; top ${groups.length} of ${formatCount(all)}` : "";
  return `${inWords(chart)}: ${value === null ? "–" : format(value)} ${isSum === true ? "in total" : "overall"}${first}`;
}

function noteOf({ newest, is_counting: isCounting }: TraceFigures): string | undefined {
  const notes = [
    ...(newest === null ? [] : [`Of the newest ${formatCount(newest)} traces.`]),
    ...(isCounting ? ["Some traces are still being counted."] : []),
  ];
  return notes.length === 0 ? undefined : notes.join(" ");
}
