import { Button, Group, Modal, NativeSelect, SegmentedControl, Textarea, TextInput } from "@mantine/core";
import {
  jsonObjectSchema,
  listVariables,
  type PromptMessage,
  type PromptVersion,
  writePromptRequestSchema,
  type WrittenPrompt,
} from "@sightline/observability/contract";
import { useState } from "react";
import { promptsKey, writePrompt } from "#features/prompts/api/prompts.ts";
import { useChange } from "#http/use-change.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import monospace from "#ui/kit/monospace.module.css";
import { typedInto } from "#ui/kit/typed-into.ts";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { asSentence } from "#ui/words/format.ts";

type PromptEditorProps = {
  readonly projectId: string;
  /** What the next version begins with; without it a prompt is made. */
  readonly version?: PromptVersion | undefined;
  /** The draft that it begins with instead. */
  readonly draft?: Pick<PromptVersion, "template" | "config">;
  readonly onSaved: (written: WrittenPrompt) => void;
  readonly onClose: () => void;
};

const ROLES = ["system", "user", "assistant", "developer", "tool"];
const rowsOf = (text: string) => Math.min(16, Math.max(3, text.split("\n").length));

/** Writes the next version. */
export function PromptEditor({ projectId, version, draft, onSaved, onClose }: PromptEditorProps) {
  const given = (draft ?? version)?.template ?? "";
  const [name, setName] = useState(version?.name ?? "");
  const [kind, setKind] = useState(typeof given === "string" ? "text" : "messages");
  const [text, setText] = useState(typeof given === "string" ? given : given.map(({ content }) => content).join("\n\n"));
  const [messages, setMessages] = useState<readonly PromptMessage[]>(
    typeof given === "string" ? [{ role: "system", content: given }] : given,
  );
  const [config, setConfig] = useState(JSON.stringify((draft ?? version)?.config ?? {}, null, 2));
  const [reason, setReason] = useState("");
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const template = kind === "text" ? text : [...messages];
  const variables = listVariables(template);
  const save = useChange({
    send: () => writePrompt(projectId, { name: name.trim(), template, config: readConfig(config) ?? {}, reason }),
    refreshes: [promptsKey(projectId)],
    onSuccess: onSaved,
  });

  function submit(): void {
    const read = writePromptRequestSchema.safeParse({ name: name.trim(), template, config: readConfig(config), reason });
    const isConfig = config.trim() === "" || readConfig(config) !== undefined;
    const found = new Map(read.error?.issues.map(({ path: [field = ""], message }) => [String(field), asSentence(message)]));
    if (!isConfig) {
      found.set("config", "Write a JSON object.");
    }
    setProblems(found);
    if (found.size === 0) {
      save.mutate();
    }
  }

  const replace = (at: number, changed: Partial<PromptMessage>) =>
    setMessages(messages.map((message, place) => (place === at ? { ...message, ...changed } : message)));
  const written = { spellCheck: false, classNames: { input: monospace.input } } as const;
  return (
    <Modal opened onClose={onClose} size="xl" title={version === undefined ? "New prompt" : `New version of ${version.name}`}>
      <DialogForm change={save} failed="The version was not saved" submit="Save version" onSubmit={submit} onCancel={onClose}>
        {version === undefined && (
          <TextInput
            label="Name"
            description="Your code asks for it by this name; / makes folders"
            placeholder="support/greeting"
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            {...typedInto(name, setName)}
            error={problems.get("name")}
          />
        )}
        <SegmentedControl
          aria-label="Kind"
          value={kind}
          onChange={setKind}
          data={[
            { value: "text", label: "Text" },
            { value: "messages", label: "Messages" },
          ]}
        />
        {kind === "text" ? (
          <Textarea label="Text" {...written} rows={rowsOf(text)} {...typedInto(text, setText)} error={problems.get("template")} />
        ) : (
          messages.map(({ role, content }, at) => (
            <div key={at}>
              <Group justify="space-between" mb={4}>
                <NativeSelect
                  aria-label={`Role of message ${at + 1}`}
                  data={[...new Set([...ROLES, role])]}
                  {...typedInto(role, (chosen) => replace(at, { role: chosen }))}
                />
                {messages.length > 1 && (
                  <Button
                    aria-label={`Remove message ${at + 1}`}
                    size="compact-sm"
                    variant="default"
                    onClick={() => setMessages(messages.filter((_, place) => place !== at))}
                  >
                    Remove
                  </Button>
                )}
              </Group>
              <Textarea
                aria-label={`Message ${at + 1}`}
                {...written}
                rows={rowsOf(content)}
                {...typedInto(content, (typed) => replace(at, { content: typed }))}
                error={problems.get("template")}
              />
            </div>
          ))
        )}
        {kind === "messages" && (
          <Button size="compact-sm" variant="default" mr="auto" onClick={() => setMessages([...messages, { role: "user", content: "" }])}>
            Add message
          </Button>
        )}
        <Dimmed role="status">
          {variables.length === 0
            ? "No variables. {{name}} makes one."
            : `Variables: ${variables.map((variable) => `{{${variable}}}`).join(", ")}`}
        </Dimmed>
        <Textarea
          label="Config"
          description="Model, parameters, tools, as a JSON object"
          {...written}
          rows={rowsOf(config)}
          {...typedInto(config, setConfig)}
          error={problems.get("config")}
        />
        <TextInput label="Why" placeholder="shorter answers" maxLength={1000} {...typedInto(reason, setReason)} />
      </DialogForm>
    </Modal>
  );
}

/** Undefined where it is no object. */
export function readConfig(text: string) {
  try {
    return text.trim() === "" ? {} : jsonObjectSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
