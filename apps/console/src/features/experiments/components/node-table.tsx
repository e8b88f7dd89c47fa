import { Anchor, Button, Paper, Text } from "@mantine/core";
import {
  describeFirst,
  lastName,
  nameTarget,
  repositoryName,
  type ChangedNode,
  type Divergence,
  type NodesComparison,
} from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { nodesQuery } from "#features/experiments/api/experiments.ts";
import { formatDifference, formatValue } from "#features/experiments/verdict-words.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { Unanswered } from "#ui/kit/list-states.tsx";
import { PanelHeader } from "#ui/kit/panel.tsx";
import { codeLink } from "#ui/page/code-link.ts";
import { ItemOrigin } from "#ui/page/item-origin.tsx";
import { asSentence, formatExactCount, formatShare, plural } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./experiments.module.css";

type NodeTableProps = { readonly projectId: string; readonly experimentId: string; readonly baseline: string };

/** Rows that are shown unasked. */
const SHOWN = 12;

/** Where runs go another way than the baseline's: the first divergence of failing items, and each node that changed. */
export function NodeTable({ projectId, experimentId, baseline }: NodeTableProps) {
  const nodes = useQuery(nodesQuery(projectId, experimentId, baseline));
  return (
    <Paper component="section" aria-label="Nodes">
      <PanelHeader title="Nodes" about={nodes.data === undefined ? "Where runs go another way." : about(nodes.data)} />
      {nodes.data === undefined ? (
        <Unanswered query={nodes} failed="The nodes could not be compared" />
      ) : (
        <Compared projectId={projectId} nodes={nodes.data} />
      )}
    </Paper>
  );
}

function about({ is_repeated: isRepeated, unknown }: NodesComparison): string {
  const left = unknown.candidate + unknown.baseline;
  return [
    "Each visit of a node beside the same in the baseline, paired by item. To explore: of rows that are marked, about one in ten is chance.",
    ...(isRepeated ? [] : ["Items ran once: what is given and written is not compared, as it can differ by chance."]),
    ...(left === 0 ? [] : [`${plural(left, "run", "runs")} left out: the trace has not arrived, or there is too much.`]),
  ].join(" ");
}

type ComparedProps = { readonly projectId: string; readonly nodes: NodesComparison };

function Compared({ projectId, nodes: { nodes, first_divergence: first } }: ComparedProps) {
  const [isAll, setAll] = useState(false);
  const rows = isAll ? nodes : nodes.slice(0, SHOWN);
  return (
    <>
      {first !== null && (
        <Text component="div" px="lg" pb="md">
          <SafeText text={`${asSentence(describeFirst(first))}.`} /> <Places projectId={projectId} of={first} />
        </Text>
      )}
      {nodes.length === 0 ? (
        <Text px="lg" pb="lg" c="dimmed">
          No node differs.
        </Text>
      ) : (
        <DataTable
          label="Nodes that changed"
          minWidth={760}
          verticalSpacing="xs"
          rows={rows}
          rowKey={({ path, aspect, what }) => JSON.stringify([path, aspect, what])}
          columns={[
            { header: "Node", isRowHeading: true, render: (row) => <Node row={row} /> },
            { header: "What", render: (row) => <SafeText text={nameChange(row)} /> },
            { header: "Baseline", align: "right", className: classes.figure, render: (row) => format(row, row.baseline) },
            { header: "Candidate", align: "right", className: classes.figure, render: (row) => format(row, row.candidate) },
            { header: "Difference", align: "right", className: classes.figure, render: (row) => <Difference row={row} /> },
            { header: "Line", render: (row) => <Places projectId={projectId} of={row} /> },
          ]}
        />
      )}
      {nodes.length > SHOWN && !isAll && (
        <Button variant="subtle" m="sm" onClick={() => setAll(true)}>
          Show all {formatExactCount(nodes.length)}
        </Button>
      )}
    </>
  );
}

function Node({ row: { path, kind } }: { readonly row: ChangedNode }) {
  return (
    <div title={path}>
      <SafeText text={lastName(path)} />
      <div className={classes.small}>{kind}</div>
    </div>
  );
}

const ASPECTS: Readonly<Record<ChangedNode["aspect"], string>> = {
  runs: "runs",
  edge: "leads to",
  input: "is given something else",
  failed: "fails",
  state: "gives",
  value: "gives something else as",
  duration: "takes",
  cost: "costs",
};

function nameChange({ aspect, what }: ChangedNode): string {
  const isOutput = (aspect === "state" || aspect === "value") && what === "";
  return `${ASPECTS[aspect]} ${isOutput ? "its output" : nameTarget(what)}`.trim();
}

const asScore = ({ aspect }: ChangedNode) => ({ source: "run", name: aspect }) as const;
const isMeasured = ({ aspect }: ChangedNode) => aspect === "duration" || aspect === "cost";
const format = (row: ChangedNode, value: number) => (isMeasured(row) ? formatValue(asScore(row), value) : formatShare(value));

function Difference({ row }: { readonly row: ChangedNode }) {
  const signed = (value: number) =>
    isMeasured(row) ? formatDifference(asScore(row), value) : `${value > 0 ? "+" : value < 0 ? "−" : ""}${formatShare(Math.abs(value))}`;
  return (
    <>
      {signed(row.value)}
      {row.stands_out ? " *" : ""}
      <div className={classes.small}>
        {signed(row.low)} to {signed(row.high)}
        {row.stands_out ? ", stands out" : ", may be chance"}
      </div>
    </>
  );
}

type PlacesProps = { readonly projectId: string; readonly of: Pick<Divergence, "candidate_place" | "baseline_place"> };

/** The line in both commits, and what changed between them. */
function Places({ projectId, of: { candidate_place: now, baseline_place: before } }: PlacesProps) {
  const place = now ?? before;
  if (place?.path === undefined) {
    return null;
  }
  const link = codeLink(repositoryName(place.repo ?? ""));
  const isKnown = link.params.owner !== "" && link.params.repo !== "";
  const [base, head] = [before?.commit, now?.commit];
  return (
    <>
      <ItemOrigin projectId={projectId} source={place} />
      {isKnown && base !== undefined && head !== undefined && base !== head && (
        <div className={classes.small}>
          before <ItemOrigin projectId={projectId} source={before ?? null} />,{" "}
          <Anchor component={Link} to="/code/$owner/$repo/compare" params={link.params} search={{ base, head }} inherit underline="always">
            what changed
          </Anchor>
        </div>
      )}
    </>
  );
}
