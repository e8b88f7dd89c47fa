import { Button, Modal, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { typedInto } from "#ui/kit/typed-into.ts";
import { DialogForm } from "./dialogs.tsx";

type DeleteByNameProps = {
  /** The kind of thing, as in “Delete this project”. */
  readonly what: string;
  /** What has to be typed. */
  readonly name: string;
  readonly remove: () => Promise<unknown>;
  readonly onDeleted: () => Promise<void>;
  /** What goes with it. */
  readonly children: ReactNode;
};

/** Takes away what nobody can bring back, once its name was typed. */
export function DeleteByName(props: DeleteByNameProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button color="red" variant="light" onClick={open}>
        Delete this {props.what}
      </Button>
      <Modal opened={opened} onClose={close} title={`Delete ${props.name}?`}>
        <Confirm {...props} onCancel={close} />
      </Modal>
    </>
  );
}

function Confirm({ what, name, remove, onDeleted, onCancel, children }: DeleteByNameProps & { readonly onCancel: () => void }) {
  const [typed, setTyped] = useState("");
  const confirmed = typed.trim() === name;
  const removal = useMutation({ mutationFn: remove, onSuccess: onDeleted });

  return (
    <DialogForm
      change={removal}
      failed={`The ${what} was not deleted`}
      cancel="Keep it"
      submit="Delete"
      color="red"
      disabled={!confirmed}
      onSubmit={() => confirmed && removal.mutate()}
      onCancel={onCancel}
    >
      <Text>{children}</Text>
      <TextInput label={`Type ${name}`} {...typedInto(typed, setTyped)} data-autofocus autoComplete="off" spellCheck={false} />
    </DialogForm>
  );
}
