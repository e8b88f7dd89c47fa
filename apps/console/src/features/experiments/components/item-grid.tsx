import { Anchor, Badge, Group, Text } from "@mantine/core";
import type { ComparedScore, Experiment, ExperimentItem } from "@sightline/observability/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type ItemsAsked, comparedItemsQuery } from "#features/experiments/api/experiments.ts";
import { formatScore } from "#features/experiments/verdict-words.ts";
import { Uncalibrated } from "#features/judges/components/uncalibrated.tsx";
import { ListOf } from "#ui/kit/list-states.tsx";
import { ItemOrigin } from "#ui/page/item-origin.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import { Outputs, Value } from "./outputs.tsx";
import classes from "./experiments.module.css";

type ItemGridProps = {
  readonly projectId: string;
  readonly experimentId: string;
  readonly asked: ItemsAsked;
  readonly runs: Experiment["runs"];
  /** What the scores of the whole say of their direction. */
  readonly scores: readonly ComparedScore[];
  /** Shows the baseline's output and the candidate's as one; without it they stand side by side. */
  readonly diff: ((baseline: unknown, candidate: unknown) => ReactNode) | undefined;
  /** For when nothing is left by the filter. */
  readonly empty: ReactNode;
  /** Below the runs of an item. */
  readonly renderComments: (itemId: string) => ReactNode;
};

/** Item by item: what was put in and expected, what both put out, and how that was scored. */
export function ItemGrid({ projectId, experimentId, asked, runs, scores, diff, empty, renderComments }: ItemGridProps) {
  const list = useInfiniteQuery(comparedItemsQuery(projectId, experimentId, asked, runs));
  const lowerIsBetter = new Set(scores.filter((score) => !score.higher_is_better).map(keyOf));
  return (
    <ListOf list={list} items={list.data?.pages.flatMap(({ items }) => items)} failed="The items could not be loaded" empty={empty}>
      {(items) => (
        <ul className={classes.items} aria-label="Items">
          {items.map((item) => (
            <li key={item.item_id} className={classes.item}>
              <div>
                <p className={classes.label}>Input</p>
                <Value json={item.input} label="Input" />
                <Origin projectId={projectId} item={item} />
              </div>
              <div>
                <p className={classes.label}>Expected</p>
                <Value json={item.expected} label="Expected" />
              </div>
              <div className={classes.outputs}>
                <Outputs projectId={projectId} item={item} diff={diff} />
                <ItemScores projectId={projectId} item={item} lowerIsBetter={lowerIsBetter} />
                <CompareTraces projectId={projectId} item={item} />
                {item.candidate.runs.length > 0 && renderComments(item.item_id)}
              </div>
            </li>
          ))}
        </ul>
      )}
    </ListOf>
  );
}

const keyOf = ({ source, name }: { readonly source: string; readonly name: string }) => `${source} ${name}`;

function Origin({ projectId, item: { required, split, source } }: { readonly projectId: string; readonly item: ExperimentItem }) {
  return (
    <Group gap={8} mt={6} fz="sm">
      {required && (
        <Badge variant="default" tt="none">
          required
        </Badge>
      )}
      {split !== null && (
        <Badge variant="light" tt="none">
          {split}
        </Badge>
      )}
      {source !== null && <ItemOrigin projectId={projectId} source={source} />}
    </Group>
  );
}

type ItemScoresProps = { readonly projectId: string; readonly item: ExperimentItem; readonly lowerIsBetter: ReadonlySet<string> };

/** The baseline's mean and the candidate's of each score, with the change in words. */
function ItemScores({ projectId, item: { candidate, baseline }, lowerIsBetter }: ItemScoresProps) {
  return (
    <ul className={classes.scores} aria-label="Scores">
      {candidate.scores.map((score) => {
        const before = baseline?.scores.find((each) => keyOf(each) === keyOf(score))?.mean ?? null;
        const rise = before === null || score.mean === null ? 0 : (score.mean - before) * (lowerIsBetter.has(keyOf(score)) ? -1 : 1);
        return (
          <li key={keyOf(score)} title={score.explanation ?? undefined}>
            <SafeText text={score.name} />
            <Uncalibrated projectId={projectId} score={score} />{" "}
            <Text span inherit fw={550} {...(rise === 0 ? {} : { c: rise > 0 ? "var(--sl-ok)" : "var(--sl-bad)" })}>
              {baseline !== null && `${before === null ? "–" : formatScore(before)} → `}
              {score.mean === null ? <SafeText text={score.text_value ?? "missing"} /> : formatScore(score.mean)}
              {rise !== 0 && (rise > 0 ? " better" : " worse")}
            </Text>
          </li>
        );
      })}
    </ul>
  );
}

/** Leads to the two traces beside each other, step by step. */
function CompareTraces({ projectId, item: { candidate, baseline } }: { readonly projectId: string; readonly item: ExperimentItem }) {
  const [a, b] = [baseline, candidate].map((cell) => cell?.runs.find((run) => run.trace_id !== null)?.trace_id ?? undefined);
  if (a === undefined || b === undefined) {
    return null;
  }
  return (
    <Anchor component={Link} fz="sm" to="/projects/$projectId/compare" params={{ projectId }} search={{ a, b }}>
      Compare the traces
    </Anchor>
  );
}
