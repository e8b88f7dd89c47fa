import { MarkdownText } from "#ui/markdown/markdown-text.tsx";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import { JsonOf, LongValue, findLongValue, type Of } from "./payload.tsx";
import { type Pair, readableValue } from "./readable-value.ts";
import classes from "./value-view.module.css";

type ValueProps = {
  readonly title: string;
  readonly value: unknown;
  readonly of: Of;
  /** Whether a text is somebody's words, and not what a program gave back. */
  readonly isProse?: boolean;
};

/** A value as it is read best. */
export function ValueView({ title, value, of, isProse = false }: ValueProps) {
  const long = findLongValue(value);
  if (long !== undefined) {
    return <LongValue title={title} value={long} of={of} />;
  }
  const readable = readableValue(value);
  switch (readable.as) {
    case "text":
      return isProse && typeof value === "string" ? (
        <div className={classes.prose}>
          <MarkdownText text={readable.text} />
        </div>
      ) : (
        <CopyableBlock text={readable.text} label={title.toLowerCase()} />
      );
    case "pairs":
      return <Pairs pairs={readable.pairs} />;
    case "json":
      return <JsonOf title={title} value={readable.value} of={of} />;
    default:
      return readable satisfies never;
  }
}

function Pairs({ pairs }: { readonly pairs: readonly Pair[] }) {
  return (
    <dl className={classes.pairs}>
      {pairs.map(({ name, text, isData }) => (
        <div key={name}>
          <dt>
            <SafeText text={name} />
          </dt>
          <dd data-data={isData || undefined}>{text === "" ? "–" : <SafeText text={text} />}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Whether JSON shows no more of it than it shows itself. */
export function isShownAsJson(value: unknown): boolean {
  return findLongValue(value) !== undefined || readableValue(value).as === "json";
}
