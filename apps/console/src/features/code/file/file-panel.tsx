import { CloseButton, TextInput, Title } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { Form } from "#ui/kit/form.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { PANELS, type Panel } from "./panels.ts";
import classes from "./file-panel.module.css";

type FilePanelProps = { readonly panel: Panel; readonly onClose: () => void; readonly children: ReactNode };

/** What stands beside a file: one panel at a time. */
export function FilePanel({ panel, onClose, children }: FilePanelProps) {
  const label = PANELS.find(({ value }) => value === panel)?.label ?? "";
  return (
    <aside className={classes.panel} aria-label="About the file">
      <div className={classes.head}>
        <Title order={2} fz="sm">
          {label}
        </Title>
        <CloseButton size="sm" aria-label="Close the panel" onClick={onClose} />
      </div>
      <div className={classes.body} tabIndex={0} role="region" aria-label={label}>
        {children}
      </div>
    </aside>
  );
}

/** Takes the name to look up, which a click in the code gives as well. */
export function NameField({ name, onName }: { readonly name: string | undefined; readonly onName: (name: string) => void }) {
  const [typed, setTyped] = useState(name ?? "");

  function submit(): void {
    if (typed.trim() !== "") {
      onName(typed.trim());
    }
  }

  return (
    <Form onSubmit={submit}>
      <TextInput
        size="xs"
        mb="xs"
        aria-label="Name to look up"
        description={name === undefined ? "Click a name in the code, or type one and press enter." : undefined}
        placeholder="parseLineRange"
        leftSection={<IconSearch size={14} />}
        spellCheck={false}
        autoCapitalize="off"
        maxLength={500}
        {...typedInto(typed, setTyped)}
      />
    </Form>
  );
}
