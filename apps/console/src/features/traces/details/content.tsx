import { type ObservationKind, readConversation, withReasoning, type Conversation } from "@sightline/observability/contract";
import { Text } from "@mantine/core";
import { useMemo } from "react";
import { useWholeValue } from "#features/traces/api/use-whole-value.ts";
import { ConversationView, type Side, shownMessage } from "#features/traces/messages/conversation.tsx";
import { newestMessage, newestTurn } from "#features/traces/messages/newest-turn.ts";
import { MarkdownText } from "#ui/markdown/markdown-text.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import { Fold } from "./fold.tsx";
import { JsonOf, type Of, isNothing } from "./payload.tsx";
import { Section } from "./section.tsx";
import { isShownAsJson, ValueView } from "./value-view.tsx";
import classes from "./value-view.module.css";

type ContentProps = {
  readonly of: Of;
  /** Undefined for the trace itself. */
  readonly kind: ObservationKind | undefined;
  readonly input: unknown;
  readonly output: unknown;
  readonly reasoning: string | null;
  /** Why it failed; stands where nothing came back. */
  readonly error: string | null;
};

/** What was asked and what came back: of a model call one conversation, else each for itself. */
export function Content({ of, kind, input: givenInput, output: givenOutput, reasoning, error }: ContentProps) {
  const input = useWholeValue(of, givenInput);
  const output = useWholeValue(of, givenOutput);
  const isModelCall = kind === "llm";
  const asked = useMemo(() => readConversation(input, { side: "input", isModelCall }), [input, isModelCall]);
  const answered = useMemo(() => readConversation(output, { side: "output", isModelCall }), [output, isModelCall]);
  const failed = isNothing(output) && error !== null && error.trim() !== "" && (
    <Section title="Output">
      <Text size="sm" c="var(--sl-bad)" lineClamp={2}>
        <SafeText text={error.trim()} />
      </Text>
    </Section>
  );
  if (isModelCall && (asked !== undefined || isNothing(input)) && (answered !== undefined || isNothing(output))) {
    return (
      <>
        <ModelCall of={of} input={input} output={output} asked={asked} answered={answered} reasoning={reasoning} />
        {failed}
      </>
    );
  }
  return (
    <>
      {reasoning !== null && reasoning !== "" && (
        <Section title="Reasoning">
          <div className={classes.prose}>
            <MarkdownText text={reasoning} />
          </div>
        </Section>
      )}
      <Side title="Input" side="input" of={of} kind={kind} value={input} conversation={asked} />
      <Side title="Output" side="output" of={of} kind={kind} value={output} conversation={answered} />
      {failed}
    </>
  );
}

type ModelCallProps = Omit<ContentProps, "kind" | "error"> & {
  readonly asked: Conversation | undefined;
  readonly answered: Conversation | undefined;
};

function ModelCall({ of, input, output, asked, answered, reasoning }: ModelCallProps) {
  const [before, after] = useMemo(
    () => [
      (asked?.messages ?? []).map((message) => shownMessage(message, "input")),
      withReasoning(answered?.messages ?? [], reasoning).map((message) => shownMessage(message, "output")),
    ],
    [asked, answered, reasoning],
  );
  if (before.length + after.length === 0) {
    return null;
  }
  return (
    <>
      <Section
        title="Conversation"
        json={
          <>
            {!isNothing(input) && <JsonOf title="Input" value={input} of={of} />}
            {!isNothing(output) && <JsonOf title="Output" value={output} of={of} />}
          </>
        }
      >
        <ConversationView messages={[...before, ...after]} from={newestTurn(before)} />
      </Section>
      {asked !== undefined && !isNothing(asked.rest) && (
        <Fold title="Parameters">
          <ValueView title="Parameters" value={asked.rest} of={of} />
        </Fold>
      )}
    </>
  );
}

type SideProps = {
  readonly title: string;
  readonly side: Side;
  readonly of: Of;
  readonly kind: ObservationKind | undefined;
  readonly value: unknown;
  readonly conversation: Conversation | undefined;
};

function Side({ title, side, of, kind, value, conversation }: SideProps) {
  if (isNothing(value)) {
    return null;
  }
  if (conversation === undefined) {
    const json = isShownAsJson(value) ? undefined : <JsonOf title={title} value={value} of={of} />;
    return (
      <Section title={title} json={json}>
        <ValueView title={title} value={value} of={of} isProse={kind !== "tool" && kind !== "retriever"} />
      </Section>
    );
  }
  const result = kind === "tool" && side === "output" ? resultOf(conversation) : undefined;
  const messages = conversation.messages.map((message) => shownMessage(message, side));
  return (
    <Section title={title} json={<JsonOf title={title} value={value} of={of} />}>
      {result === undefined ? (
        <ConversationView messages={messages} from={newestMessage(messages)} />
      ) : (
        <ValueView title={title} value={result.value} of={of} />
      )}
      {!isNothing(conversation.rest) && (
        <div className={classes.rest}>
          <ValueView title={title} value={conversation.rest} of={of} />
        </div>
      )}
    </Section>
  );
}

/** LangChain's tools answer with a message around their result. */
function resultOf({ messages }: Conversation): { readonly value: unknown } | undefined {
  const parts = messages.flatMap((message) => message.parts);
  const [only] = parts;
  return parts.length === 1 && only?.type === "tool_result" ? { value: only.value } : undefined;
}
