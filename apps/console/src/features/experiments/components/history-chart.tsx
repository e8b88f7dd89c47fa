import "@mantine/charts/styles.layer.css";
// The squares of the legend.
import "@mantine/core/styles/ColorSwatch.layer.css";
import { LineChart } from "@mantine/charts";
import { Paper, Text } from "@mantine/core";
import type { Experiment, ScoreMean } from "@sightline/observability/contract";
import { type DotItemDotProps, ErrorBar, type TooltipContentProps } from "recharts";
import { commitLabel, meanInWords } from "#features/experiments/score-history.ts";
import { GATE, formatValue } from "#features/experiments/verdict-words.ts";
import { asTick } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./experiments.module.css";

export type HistoryPoint = { readonly experiment: Experiment; readonly mean: ScoreMean };

type HistoryChartProps = {
  /** Oldest first. */
  readonly points: readonly HistoryPoint[];
  readonly onOpen: (experiment: Experiment) => void;
};

const COLORS = ["node", "tool", "retriever", "llm", "span"].map((kind) => `var(--sl-kind-${kind})`);

/** A score of experiments one after the other, with its interval; those of a branch are joined. Loaded only with a page that shows it. */
export function HistoryChart({ points, onOpen }: HistoryChartProps) {
  const branches = [...new Set(points.map(({ experiment }) => experiment.branch))];
  const series = branches.map((branch, at) => ({
    name: `line${at}`,
    label: branch ?? "(no branch)",
    color: COLORS[at % COLORS.length] ?? "",
  }));
  const rows = points.map(({ experiment, mean }, at) => ({
    at,
    reach: [mean.mean - (mean.low ?? mean.mean), (mean.high ?? mean.mean) - mean.mean],
    [`line${branches.indexOf(experiment.branch)}`]: mean.mean,
  }));
  const pointAt = (at: unknown) => points[Number(at ?? Number.NaN)];
  return (
    <LineChart
      h={260}
      data={rows}
      dataKey="at"
      series={series}
      curveType="linear"
      withLegend={series.length > 1}
      legendProps={{ verticalAlign: "bottom", ...(series.length > 3 ? {} : { height: 30 }) }}
      gridAxis="x"
      tickLine="none"
      strokeWidth={1.5}
      xAxisProps={{ minTickGap: 24, padding: { left: 24, right: 24 }, tickFormatter: (at: number) => labelOf(pointAt(at)) }}
      yAxisProps={{
        width: 64,
        domain: ["auto", points.every(isShare) ? 1 : "auto"],
        tickFormatter: (value: number) => tick(points, value),
      }}
      tooltipProps={{ content: tellOf(points) }}
      lineChartProps={{
        margin: { top: 8 },
        accessibilityLayer: false,
        className: classes.plot ?? "",
        onClick: ({ activeTooltipIndex }) => {
          const point = pointAt(activeTooltipIndex);
          if (point !== undefined) {
            onOpen(point.experiment);
          }
        },
      }}
      lineProps={({ color }) => ({
        isAnimationActive: false,
        dot: dotsOf(points, color ?? ""),
        children: <ErrorBar dataKey="reach" width={5} stroke={color} strokeWidth={1} isAnimationActive={false} />,
      })}
    />
  );
}

const isShare = ({ mean: { source, mean, high } }: HistoryPoint) => source !== "run" && Math.max(mean, high ?? mean) <= 1;

const labelOf = (point: HistoryPoint | undefined) => (point === undefined ? "" : commitLabel(point.experiment));

function tick([first]: readonly HistoryPoint[], value: number): string {
  return first === undefined ? "" : asTick(formatValue(first.mean, value));
}

function tellOf(points: readonly HistoryPoint[]) {
  return ({ active, label }: TooltipContentProps) => (active ? <Told point={points[Number(label)]} /> : null);
}

function dotsOf(points: readonly HistoryPoint[], color: string) {
  return ({ cx, cy, index, value }: DotItemDotProps & Place) => (
    <Dot key={index} x={cx} y={typeof value === "number" ? cy : undefined} point={points[index]} color={color} />
  );
}

/** Where the library puts a dot, which its types do not say. */
type Place = { readonly cx?: number; readonly cy?: number };

type DotProps = {
  readonly x: number | undefined;
  readonly y: number | undefined;
  readonly point: HistoryPoint | undefined;
  readonly color: string;
};

/** In the colour of what the gate said, and larger; of its line where none was run. */
function Dot({ x, y, point, color }: DotProps) {
  const gate = point?.experiment.gate ?? null;
  return x === undefined || y === undefined ? (
    <g />
  ) : (
    <circle cx={x} cy={y} r={gate === null ? 3 : 5} fill={gate === null ? color : `var(--sl-${GATE[gate.outcome].tone})`} />
  );
}

function Told({ point }: { readonly point: HistoryPoint | undefined }) {
  if (point === undefined) {
    return null;
  }
  const { experiment, mean } = point;
  const { gate, branch } = experiment;
  return (
    <Paper px="md" py="xs" withBorder shadow="md">
      <Text size="sm" fw={550}>
        <SafeText text={experiment.name} />
      </Text>
      <Text size="sm" c="dimmed">
        {labelOf(point)}
        {branch !== null && ` on ${branch}`}
      </Text>
      <Text size="sm">{`${meanInWords(mean)}, ${mean.items} items`}</Text>
      {gate !== null && <Text size="sm">{GATE[gate.outcome].label}</Text>}
    </Paper>
  );
}
