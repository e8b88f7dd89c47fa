import { Button, Group, Kbd, Modal, Paper, Stack, TextInput } from "@mantine/core";
import type { NextPair, Preferred, PreferRequest } from "@sightline/observability/contract";
import { useRef, useState } from "react";
import { SingleKeysSwitch } from "#ui/keys/single-keys-switch.tsx";
import { usePageKeys } from "#ui/keys/use-page-keys.ts";
import { Form } from "#ui/kit/form.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { Side, Value } from "./outputs.tsx";
import classes from "./experiments.module.css";

type PairFormProps = {
  readonly projectId: string;
  readonly pair: NonNullable<NextPair["pair"]>;
  readonly isSaving: boolean;
  readonly onSay: (said: PreferRequest) => void;
};

const ANSWERS: readonly { readonly preferred: Preferred; readonly label: string; readonly key: string }[] = [
  { preferred: "first", label: "First is better", key: "←" },
  { preferred: "tie", label: "Tie", key: "t" },
  { preferred: "second", label: "Second is better", key: "→" },
];
const KEYS: Readonly<Record<string, Preferred>> = { ArrowLeft: "first", ArrowRight: "second", t: "tie", 1: "first", 2: "second", 3: "tie" };

/** Two outputs of one item, whose they are hidden; whoever makes it gives it the item's id as its key. */
export function PairForm({ projectId, pair, isSaving, onSay }: PairFormProps) {
  const [reason, setReason] = useState("");
  const [isHelping, setHelping] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const skip = () => (reason.trim() === "" ? field.current?.focus() : onSay({ skip: reason }));
  usePageKeys(({ key, repeat }) => {
    const preferred = KEYS[key];
    // Until the next pair is there, keys would be of the one before it; one that is held would answer for the next as well.
    return isSaving || repeat ? undefined : preferred ? () => onSay({ preferred }) : { s: skip, "?": () => setHelping(true) }[key];
  });
  const hidden = { repetition: 0, trace_id: null, place: null };
  return (
    <Stack gap="md">
      <Paper p="lg" component="section" aria-label="Item" className={classes.pair ?? ""}>
        {(["input", "expected"] as const).map((part) => (
          <div key={part}>
            <p className={classes.label}>{part === "input" ? "Input" : "Expected"}</p>
            <Value json={pair[part]} label={part === "input" ? "Input" : "Expected"} />
          </div>
        ))}
        <Side projectId={projectId} title="First" runs={[{ ...pair.first, ...hidden }]} />
        <Side projectId={projectId} title="Second" runs={[{ ...pair.second, ...hidden }]} />
      </Paper>
      <Group gap="xs">
        {ANSWERS.map(({ preferred, label, key }) => (
          <Button key={preferred} disabled={isSaving} rightSection={<Kbd size="xs">{key}</Kbd>} onClick={() => onSay({ preferred })}>
            {label}
          </Button>
        ))}
        <Button variant="subtle" rightSection={<Kbd size="xs">?</Kbd>} onClick={() => setHelping(true)}>
          Keys
        </Button>
      </Group>
      <Form onSubmit={skip}>
        <Group gap="xs" align="flex-end">
          <TextInput
            ref={field}
            flex="0 1 420px"
            label="Why you skip it"
            maxLength={500}
            {...typedInto(reason, setReason)}
            onKeyDown={({ key, currentTarget }) => key === "Escape" && currentTarget.blur()}
          />
          <Button type="submit" variant="default" disabled={isSaving} rightSection={<Kbd size="xs">s</Kbd>}>
            Skip
          </Button>
        </Group>
      </Form>
      <Modal opened={isHelping} onClose={() => setHelping(false)} title="Keys of this page">
        <SingleKeysSwitch />← or 1: the first is better. → or 2: the second. t or 3: a tie. s: skip, once the field says why; Enter there
        sends it. Esc: leaves the field. An answer is saved at once.
      </Modal>
    </Stack>
  );
}
