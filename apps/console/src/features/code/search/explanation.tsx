import type { SearchResult } from "@sightline/code-index/contract";
import classes from "./explanation.module.css";

type Explain = NonNullable<SearchResult["explain"]>;

/** What a result's score is made of: what the legs' ranks make together, and each factor of the ranking. */
export function Explanation({ score, explain: { fused, factors } }: { readonly score: number; readonly explain: Explain }) {
  const changing = Object.entries(factors).filter(([, factor]) => factor !== 1);
  return (
    <dl className={classes.parts} aria-label="What its score is made of">
      <div className={classes.part}>
        <dt>score</dt>
        <dd>{inShort(score)}</dd>
      </div>
      <div className={classes.part} data-sign="=">
        <dt>ranks of the legs</dt>
        <dd>{inShort(fused)}</dd>
      </div>
      {changing.map(([name, factor]) => (
        <div key={name} className={classes.part} data-sign="×" data-tone={factor > 1 ? "up" : "down"}>
          <dt>{name.replaceAll(/[_-]/g, " ")}</dt>
          <dd>{inShort(factor)}</dd>
        </div>
      ))}
    </dl>
  );
}

function inShort(figure: number): string {
  return String(Number(figure.toPrecision(3)));
}
