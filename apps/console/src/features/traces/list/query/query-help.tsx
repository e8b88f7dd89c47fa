import { TRACE_FIELDS } from "@sightline/observability/contract";
import { QueryHelp } from "#ui/query/query-help.tsx";

const GRAMMAR: readonly { readonly example: string; readonly means: string }[] = [
  { example: "status:failure user:ann", means: "both must be true" },
  { example: "model:gpt-4o,gpt-4.1", means: "any of these" },
  { example: "-name:nightly*", means: "not these; * stands for anything" },
  { example: "duration:1s..5s", means: "from … to; also >5s and <=5s" },
  { example: "refund order", means: "whole words of its name, error, input, output" },
  { example: '"order 42"', means: "these words together, or a value with spaces" },
];

const SECTIONS = [
  { lines: GRAMMAR },
  { title: "Fields", lines: TRACE_FIELDS.map(({ example, description }) => ({ example, means: description })) },
];

export function TraceQueryHelp({ onTake }: { readonly onTake: (example: string) => void }) {
  return (
    <QueryHelp sections={SECTIONS} onTake={onTake}>
      A click adds an example to the query. While you type, Tab takes over what is offered and Escape puts it away.
    </QueryHelp>
  );
}
