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
  readonly score: Pick<ScoreMean, "name" | "source">;
  /** Oldest first. */
  readonly points: readonly HistoryPoint[];
  readonly onOpen: (experiment: Experiment) => void;
};

const COLORS = ["node", "tool", "retriever", "llm", "span"].map((kind) => `var(--sl-kind-${kind})`);
const REST_COLOR = "var(--sl-idle)";

/** A score of experiments one after the other, with its interval; those of a branch are joined. Loaded only with a page that shows it. */
export function HistoryChart({ score, points, onOpen }: HistoryChartProps) {
  const labels = points.map(({ experiment }) => commitLabel(experiment));
  const branches = commonBranches(points);
  const isRest = points.some(({ experiment: { branch } }) => !branches.includes(branch));
  const series = [...branches.map((branch) => branch ?? "(no branch)"), ...(isRest ? ["other branches"] : [])].map((label, at) => ({
    name: `line${at}`,
    label,
    color: COLORS[at] ?? REST_COLOR,
  }));
  const rows = points.map(({ experiment, mean }, at) => ({
    at,
    reach: [mean.mean - (mean.low ?? mean.mean), (mean.high ?? mean.mean) - mean.mean],
    [`line${branches.includes(experiment.branch) ? branches.indexOf(experiment.branch) : branches.length}`]: mean.mean,
  }));
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
      xAxisProps={{
        minTickGap: 24,
        padding: { left: 24, right: 24 },
        tickFormatter: (at: number) => labels[at] ?? "",
      }}
      yAxisProps={{
        width: 64,
        domain: ["auto", points.every(isShare) ? 1 : "auto"],
        tickFormatter: (value: number) => asTick(formatValue(score, value)),
      }}
      tooltipProps={{ content: tellOf(points) }}
      lineChartProps={{
        margin: { top: 8 },
        accessibilityLayer: false,
        className: classes.plot ?? "",
        onClick: ({ activeTooltipIndex }) => {
          const point = points[Number(activeTooltipIndex ?? Number.NaN)];
          if (point !== undefined) {
            onOpen(point.experiment);
          }
        },
      }}
      lineProps={({ color }) => ({
        isAnimationActive: false,
        // Of many branches nothing is joined.
        strokeWidth: color === REST_COLOR ? 0 : 1.5,
        dot: dotsOf(points, color ?? ""),
        children: <ErrorBar dataKey="reach" width={5} stroke={color} strokeWidth={1} isAnimationActive={false} />,
      })}
    />
  );
}

/** Those with most experiments, as many as there are colours. */
function commonBranches(points: readonly HistoryPoint[]): readonly (string | null)[] {
  const counted = [...Map.groupBy(points, ({ experiment: { branch } }) => branch)].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  return counted.slice(0, COLORS.length).map(([branch]) => branch);
}

const isShare = ({ mean: { source, mean, high } }: HistoryPoint) => source !== "run" && Math.max(mean, high ?? mean) <= 1;

function tellOf(points: readonly HistoryPoint[]) {
  return ({ active, label }: TooltipContentProps) => {
    const point = active ? points[Number(label)] : undefined;
    return point === undefined ? null : <Told {...point} />;
  };
}

/** Where the library puts a dot, which its types do not say. */
type Place = { readonly cx?: number; readonly cy?: number };

/** In the colour of what the gate said, and larger; of its line where none was run. */
function dotsOf(points: readonly HistoryPoint[], color: string) {
  return ({ cx, cy, index, value }: DotItemDotProps & Place) => {
    const gate = typeof value === "number" ? points[index]?.experiment.gate : undefined;
    const fill = gate ? `var(--sl-${GATE[gate.outcome].tone})` : color;
    return <circle key={index} cx={cx} cy={cy} r={typeof value !== "number" ? 0 : gate ? 5 : 3} fill={fill} />;
  };
}

function Told({ experiment, mean }: HistoryPoint) {
  const { gate, branch } = experiment;
  return (
    <Paper px="md" py="xs" withBorder shadow="md">
      <Text size="sm" fw={550}>
        <SafeText text={experiment.name} />
      </Text>
      <Text size="sm" c="dimmed">
        {commitLabel(experiment)}
        {branch !== null && ` on ${branch}`}
      </Text>
      <Text size="sm">{`${meanInWords(mean)}, ${mean.items} items`}</Text>
      {gate !== null && <Text size="sm">{GATE[gate.outcome].label}</Text>}
    </Paper>
  );
}
