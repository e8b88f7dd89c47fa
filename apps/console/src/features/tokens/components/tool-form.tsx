import "@mantine/core/styles/Checkbox.layer.css";
import { Button, Checkbox, Text, TextInput } from "@mantine/core";
import { type SyntheticEvent, useMemo, useState } from "react";
import { typedInto } from "#ui/kit/typed-into.ts";
import type { McpTool } from "#features/tokens/api/call-mcp.ts";
import { type ToolField, toArguments, listToolFields } from "#features/tokens/tool-arguments.ts";
import classes from "./tool-form.module.css";

type ToolFormProps = {
  readonly tool: McpTool;
  readonly busy: boolean;
  readonly onCall: (words: Readonly<Record<string, unknown>>) => void;
};

/** The arguments of a tool, as the tool itself describes them. */
export function ToolForm({ tool, busy, onCall }: ToolFormProps) {
  const fields = useMemo(() => listToolFields(tool), [tool]);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    onCall(toArguments(fields, typed));
  }

  return (
    <form onSubmit={submit} className={classes.form}>
      <Text size="sm" c="dimmed" className={classes.description}>
        {tool.description}
      </Text>
      <div className={classes.fields}>
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={typed[field.name] ?? ""}
            onChange={(value) => setTyped((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
      </div>
      <div>
        <Button type="submit" loading={busy}>
          Call {tool.name}
        </Button>
      </div>
    </form>
  );
}

type FieldProps = { readonly field: ToolField; readonly value: string; readonly onChange: (value: string) => void };

function Field({ field: { name, kind, required, description, placeholder }, value, onChange }: FieldProps) {
  if (kind === "flag") {
    return (
      <Checkbox
        className={classes.flag ?? ""}
        label={name}
        description={description}
        checked={value === "true"}
        onChange={(event) => onChange(event.currentTarget.checked ? "true" : "")}
      />
    );
  }
  return (
    <TextInput
      className={required ? classes.required : undefined}
      label={name}
      description={description}
      placeholder={placeholder}
      required={required}
      inputMode={kind === "number" ? "numeric" : "text"}
      {...(kind === "number" ? { type: "number" } : {})}
      spellCheck={false}
      {...typedInto(value, onChange)}
    />
  );
}
