import "@mantine/core/styles/Fieldset.layer.css";
import { Button, Fieldset, Group, Kbd, Modal, TextInput } from "@mantine/core";
import type { AnnotateRequest, ScoreConfig } from "@sightline/observability/contract";
import { useRef, useState } from "react";
import { annotate, queuesKey } from "#features/annotation/api/annotation.ts";
import { isGiven, toGivenScore, ValueField } from "#features/traces/scores/score-fields.tsx";
import { useChange } from "#http/use-change.ts";
import { SingleKeysSwitch } from "#ui/keys/single-keys-switch.tsx";
import { usePageKeys } from "#ui/keys/use-page-keys.ts";
import { FailedChange } from "#ui/kit/failed-change.tsx";
import { Form } from "#ui/kit/form.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";

/** What digits choose, as values are typed; undefined where a value is typed. */
function optionsOf({ data_type: type, categories, minimum, maximum }: ScoreConfig): readonly string[] | undefined {
  const [least, greatest] = [minimum ?? Number.NaN, maximum ?? Number.NaN];
  const isShort = type === "number" && Number.isInteger(least) && greatest - least < 9;
  const numbers = isShort ? Array.from({ length: Math.floor(greatest - least) + 1 }, (_, at) => String(least + at)) : undefined;
  return type === "boolean" ? ["true", "false"] : categories.length > 0 ? categories : numbers;
}

const WORDS: Readonly<Record<string, string>> = { true: "Yes", false: "No" };
const KEYS =
  "j and k: next and previous score. Digits: its value. c: comment. Enter: save. s: skip, once the comment says why. e: expected value. Esc: leaves a field.";

/** So that Enter saves, and does not follow once more the link that led here. */
const takeFocus = (form: HTMLFormElement | null) => form?.focus({ preventScroll: true });

type LabelFormProps = {
  readonly projectId: string;
  readonly queueId: string;
  readonly traceId: string;
  readonly configs: readonly ScoreConfig[];
  /** Whether the labels settle others that differ. */
  readonly resolves: boolean;
  readonly onCorrect: () => void;
};

/** Labels one trace, by the keyboard alone where one likes; whoever makes it gives it the trace's id as its key. */
export function LabelForm({ projectId, queueId, traceId, configs, resolves, onCorrect }: LabelFormProps) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [at, setAt] = useState(0);
  const [comment, setComment] = useState("");
  const [isHelping, setHelping] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const say = useChange({
    send: (given: AnnotateRequest) => annotate(projectId, queueId, traceId, given),
    refreshes: [queuesKey(projectId)],
    refreshesAlways: true,
  });
  const labels = configs
    .map(({ name, data_type: type }) => ({ name, type, value: values[name] ?? "", comment }))
    .filter((score) => isGiven(score))
    .map((score) => toGivenScore(score));
  const isWhole = configs.every(({ name, data_type: type }) => type === "text" || labels.some((label) => label.name === name));
  const save = () => isWhole && !say.isPending && say.mutate({ labels, resolves });
  const skip = () => !resolves && (comment.trim() === "" ? field.current?.focus() : say.mutate({ skip: comment }));
  const choose = (place: number, value: string | undefined) => {
    const { name } = configs[place] ?? {};
    if (name !== undefined && value !== undefined) {
      setValues({ ...values, [name]: value });
      setAt(Math.min(place + 1, configs.length - 1));
    }
  };
  const acts: Readonly<Record<string, () => unknown>> = {
    j: () => setAt(Math.min(at + 1, configs.length - 1)),
    k: () => setAt(Math.max(at - 1, 0)),
    c: () => field.current?.focus(),
    s: skip,
    e: onCorrect,
    "?": () => setHelping(true),
    Enter: save,
  };
  const current = configs[at];
  const digit = (key: string) => (current && /^[1-9]$/.test(key) ? () => choose(at, optionsOf(current)?.[Number(key) - 1]) : undefined);
  // Until the next trace is there, keys would be of the one before it.
  usePageKeys(({ key, repeat }) => (say.isPending || repeat ? undefined : (acts[key] ?? digit(key))));
  return (
    <Form onSubmit={save} aria-label="Labels" ref={takeFocus} tabIndex={-1} style={{ outline: "none" }}>
      <FailedChange error={say.error} title="It was not saved" />
      {configs.map((config, place) => {
        const { name, data_type: type } = config;
        const score = { name, type, value: values[name] ?? "", comment: "" };
        return (
          <Fieldset
            key={name}
            legend={name}
            {...(place === at ? { "data-current": true, bd: "1px solid var(--mantine-primary-color-filled)" } : {})}
          >
            <Group gap="xs">
              {optionsOf(config)?.map((value, option) => (
                <Button
                  key={value}
                  variant={score.value === value ? "filled" : "default"}
                  aria-pressed={score.value === value}
                  leftSection={option < 9 && <Kbd size="xs">{option + 1}</Kbd>}
                  onClick={() => choose(place, value)}
                >
                  {type === "boolean" ? WORDS[value] : value}
                </Button>
              )) ?? <ValueField score={score} config={config} onValue={(value) => setValues({ ...values, [name]: value })} />}
            </Group>
          </Fieldset>
        );
      })}
      <TextInput
        ref={field}
        label={resolves ? "Comment" : "Comment, or why you skip it"}
        maxLength={500}
        {...typedInto(comment, setComment)}
        onKeyDown={({ key, currentTarget }) => key === "Escape" && currentTarget.blur()}
      />
      <Group gap="xs">
        <Button type="submit" loading={say.isPending} disabled={!isWhole} rightSection={<Kbd size="xs">Enter</Kbd>}>
          {resolves ? "Resolve" : "Save and next"}
        </Button>
        {!resolves && (
          <Button variant="default" rightSection={<Kbd size="xs">s</Kbd>} onClick={skip}>
            Skip
          </Button>
        )}
        <Button variant="default" rightSection={<Kbd size="xs">e</Kbd>} onClick={onCorrect}>
          Expected…
        </Button>
        <Button variant="subtle" rightSection={<Kbd size="xs">?</Kbd>} onClick={() => setHelping(true)}>
          Keys
        </Button>
      </Group>
      <Modal opened={isHelping} onClose={() => setHelping(false)} title="Keys of this page">
        <SingleKeysSwitch />
        {KEYS}
      </Modal>
    </Form>
  );
}
