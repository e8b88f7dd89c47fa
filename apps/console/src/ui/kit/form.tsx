import { Button, Group, type MantineSpacing, Stack } from "@mantine/core";
import type { ComponentProps } from "react";
import { UnsavedChanges } from "./unsaved-changes.tsx";

type FormProps = Omit<ComponentProps<"form">, "onSubmit"> & { readonly gap?: MantineSpacing; readonly onSubmit: () => void };

/** Fields below each other; what is wrong with them is said by the fields, not by the browser. */
export function Form({ gap = "md", onSubmit, children, ...form }: FormProps) {
  return (
    <form
      noValidate
      {...form}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Stack gap={gap}>{children}</Stack>
    </form>
  );
}

type SaveOrUndoProps = { readonly changed: boolean; readonly isValid: boolean; readonly saving: boolean; readonly onUndo: () => void };

/** The buttons of settings that stay on the page, which is not left with changes that are not saved. */
export function SaveOrUndo({ changed, isValid, saving, onUndo }: SaveOrUndoProps) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" disabled={!changed} onClick={onUndo}>
        Undo
      </Button>
      <Button type="submit" loading={saving} disabled={!changed || !isValid}>
        Save
      </Button>
      <UnsavedChanges changed={changed && !saving} />
    </Group>
  );
}
