import { Modal, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type Passkey, renamePasskeyRequestSchema } from "@sightline/identity/contract";
import { useState } from "react";
import type { Api } from "#http/api.ts";
import { useChange } from "#http/use-change.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { readDevice } from "#ui/words/device.ts";
import { addPasskey, PASSKEY_KEYS, renamePasskey } from "#features/auth/api/passkeys.ts";
import { useStepUp } from "#features/auth/step-up.ts";

/** Names a passkey: one that is there, or a new one, which the browser then makes. */
export function NamePasskeyDialog({ passkey, onClose }: { readonly passkey: Passkey | undefined; readonly onClose: () => void }) {
  const withStepUp = useStepUp();
  const [name, setName] = useState(passkey?.name ?? readDevice(navigator.userAgent).name);
  const [problem, setProblem] = useState<string>();
  const isNew = passkey === undefined;
  const change = useChange({
    send: async (chosen: string, api: Api): Promise<unknown> =>
      isNew ? addPasskey(api, withStepUp, chosen) : withStepUp(() => api.request(renamePasskey(passkey.id, chosen))),
    refreshes: PASSKEY_KEYS,
    onSuccess() {
      if (isNew) {
        notifications.show({
          color: "green",
          title: "Passkey added",
          message: "You can now log in with it.",
        });
      }
      onClose();
    },
  });

  function submit(): void {
    const { data, error } = renamePasskeyRequestSchema.safeParse({ name });
    setProblem(error?.issues[0]?.message);
    if (data !== undefined) {
      change.mutate(data.name);
    }
  }

  return (
    <Modal opened onClose={onClose} title={isNew ? "Add a passkey" : "Rename the passkey"}>
      <DialogForm
        change={change}
        failed={isNew ? "The passkey was not added" : "The passkey was not renamed"}
        submit={isNew ? "Continue" : "Rename"}
        onSubmit={submit}
        onCancel={onClose}
      >
        {isNew && <Text c="dimmed">Your browser will ask where to save it. Adding your first passkey ends your other sessions.</Text>}
        <TextInput
          label="Name"
          description="To tell it apart from others"
          maxLength={100}
          data-autofocus
          {...typedInto(name, setName)}
          error={problem}
        />
      </DialogForm>
    </Modal>
  );
}
