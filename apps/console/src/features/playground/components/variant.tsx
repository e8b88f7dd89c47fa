import { Alert, Button, Group, NativeSelect, Paper, Stack, Textarea, TextInput } from "@mantine/core";
import { fillMessages, type ModelConnection, type PlaygroundEvent } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { z } from "zod";
import { runVariant } from "#features/playground/api/run-variant.ts";
import { type Draft, toRequest } from "#features/playground/draft.ts";
import { useApi } from "#http/api-context.ts";
import { useChange } from "#http/use-change.ts";
import monospace from "#ui/kit/monospace.module.css";
import { typedInto } from "#ui/kit/typed-into.ts";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatCost, formatDuration, plural } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";

type End = Extract<PlaygroundEvent, { type: "end" }>;
type Props = {
  readonly projectId: string;
  readonly title: string;
  readonly draft: Draft;
  /** By variable, what stands in its place. */
  readonly values: Readonly<Record<string, string>>;
  readonly connections: readonly ModelConnection[];
  readonly onChange: (draft: Draft) => void;
  /** The words of the button that keeps it. */
  readonly saves: string;
  readonly onSave: () => void;
  readonly onAdd: (traceId: string) => void;
};

/** One model call that is written, made, and answered as the model answers. */
export function Variant({ projectId, title, draft, values, connections, onChange, saves, onSave, onAdd }: Props) {
  const api = useApi();
  const [events, setEvents] = useState<readonly PlaygroundEvent[]>([]);
  const run = useChange({
    send: async () => {
      setEvents([]);
      const request = toRequest(draft);
      const body = { ...request, messages: fillMessages(request.messages, values) };
      for await (const event of runVariant(api, projectId, body)) {
        setEvents((before) => [...before, event]);
      }
    },
  });
  const change = (changed: Partial<Draft>) => onChange({ ...draft, ...changed });
  const write = (messages: Draft["messages"]) => change({ messages, prompt: undefined });
  const replace = (at: number, text: string) =>
    write(draft.messages.map((message, place) => (place === at ? { ...message, text } : message)));
  const written = { autosize: true, minRows: 2, maxRows: 14, spellCheck: false } as const;
  const end = events.find((event) => event.type === "end");
  const problem = run.error instanceof z.ZodError ? z.prettifyError(run.error) : (run.error?.message ?? end?.problem);
  return (
    <Paper component="section" aria-label={title} p="md" flex="1 1 300px" miw={0}>
      <Stack gap="sm">
        <Group grow align="flex-end">
          <NativeSelect
            label="Connection"
            data={connections.map(({ id, name }) => ({ value: id, label: name }))}
            {...typedInto(draft.connectionId, (connectionId) => change({ connectionId }))}
          />
          <TextInput label="Model" maxLength={200} spellCheck={false} {...typedInto(draft.model, (model) => change({ model }))} />
        </Group>
        {draft.messages.map(({ role, text, others }, at) => (
          <div key={at}>
            <Textarea label={role} {...written} {...typedInto(text, (next) => replace(at, next))} />
            {others.length > 0 && <Dimmed>and as recorded: {others.map((other) => JSON.stringify(other).slice(0, 120)).join(", ")}</Dimmed>}
          </div>
        ))}
        <Button
          size="compact-sm"
          variant="default"
          mr="auto"
          onClick={() => write([...draft.messages, { role: "user", text: "", others: [] }])}
        >
          Add message
        </Button>
        <Textarea
          label="Parameters"
          {...written}
          classNames={{ input: monospace.input }}
          {...typedInto(draft.parameters, (parameters) => change({ parameters }))}
        />
        <Button loading={run.isPending} onClick={() => run.mutate()}>
          Run
        </Button>
        {problem && <Alert color="red">{problem}</Alert>}
        <div role="status" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          <SafeText text={events.map(inWords).join("")} />
        </div>
        {end !== undefined && (
          <Group gap="xs">
            <Dimmed>{factsOf(end)}</Dimmed>
            <Button size="compact-sm" variant="default" onClick={onSave}>
              {saves}
            </Button>
            {end.trace_id !== null && (
              <>
                <Button size="compact-sm" variant="default" onClick={() => onAdd(end.trace_id ?? "")}>
                  Add to dataset
                </Button>
                <Link to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId: end.trace_id }}>
                  Trace
                </Link>
              </>
            )}
          </Group>
        )}
      </Stack>
    </Paper>
  );
}

function inWords(event: PlaygroundEvent): string {
  return event.type === "text" ? event.text : event.type === "tool-call" ? `\n${event.toolName} ${JSON.stringify(event.input)}` : "";
}

function factsOf({ duration_ms: duration, tokens, cost }: End): string {
  const counted = tokens === null ? "tokens unknown" : plural(tokens, "token", "tokens");
  return `${formatDuration(duration)}, ${counted}, ${cost === null ? "no price" : formatCost(cost)}`;
}
