import { Button, Collapse, Modal, TextInput } from "@mantine/core";
import { type Repository, registerRepositoryRequestSchema } from "@sightline/code-index/contract";
import { type ClipboardEvent, useState } from "react";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useChange } from "#http/use-change.ts";
import { registerRepository, repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { pastedAddress } from "#features/repositories/patterns.ts";
import { ReviewPreview } from "./review-preview.tsx";
import { type CredentialChoice, NO_SETTINGS, SelectionFields, SourceFields, readSettings, settingsProblems } from "./settings-fields.tsx";
import { DialogForm } from "#ui/kit/dialogs.tsx";

type RegisterModalProps = { readonly opened: boolean; readonly credentials: readonly CredentialChoice[]; readonly onClose: () => void };

/** Registers a repository, shows what an index of it would hold, and indexes it when that is wanted. */
export function RegisterModal({ opened, credentials, onClose }: RegisterModalProps) {
  const [registered, setRegistered] = useState<Repository>();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={registered === undefined ? "Register a repository" : `Index ${registered.full_name}?`}
      size={registered === undefined ? "md" : "xl"}
      onExitTransitionEnd={() => setRegistered(undefined)}
    >
      {registered === undefined ? (
        <RegisterForm credentials={credentials} onRegistered={setRegistered} onCancel={onClose} />
      ) : (
        <ReviewPreview repository={registered} mayDiscard onChanged={setRegistered} onDone={onClose} />
      )}
    </Modal>
  );
}

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map();

type RegisterFormProps = {
  readonly credentials: readonly CredentialChoice[];
  readonly onRegistered: (repository: Repository) => void;
  readonly onCancel: () => void;
};

function RegisterForm({ credentials, onRegistered, onCancel }: RegisterFormProps) {
  const [fullName, setFullName] = useState("");
  const [text, setText] = useState(NO_SETTINGS);
  const [checked, setChecked] = useState(false);
  const [unfolded, setUnfolded] = useState(false);
  const name = fullName.trim();
  const settings = readSettings(text);
  const nameWrong = !registerRepositoryRequestSchema.shape.full_name.safeParse(name).success;
  const problems = settingsProblems(settings);
  const shownProblems = checked ? problems : NO_PROBLEMS;
  // What is wrong is never folded away.
  const selecting = unfolded || ["branches", "include", "exclude"].some((setting) => shownProblems.has(setting));
  const register = useChange({
    send: () => registerRepository({ ...settings, full_name: name, index: false }),
    refreshes: [repositoriesQuery.queryKey],
    onRefreshed: onRegistered,
  });

  function takeAddress(event: ClipboardEvent): void {
    const pasted = pastedAddress(event.clipboardData.getData("text"));
    if (pasted !== undefined) {
      event.preventDefault();
      setFullName(pasted.name);
      setText({ ...text, cloneUrl: pasted.cloneUrl });
    }
  }

  function submit(): void {
    setChecked(true);
    if (!nameWrong && problems.size === 0) {
      register.mutate();
    }
  }

  return (
    <DialogForm
      change={register}
      failed="The repository was not registered"
      submit="Register and preview"
      onSubmit={submit}
      onCancel={onCancel}
      tools={
        <Button variant="subtle" mr="auto" px="xs" aria-expanded={selecting} onClick={() => setUnfolded(!selecting)}>
          {selecting ? "Fewer options" : "More options"}
        </Button>
      }
    >
      <TextInput
        label="Name"
        description="owner/repo; people and assistants will find it under this name"
        placeholder="acme/webshop"
        {...typedInto(fullName, setFullName)}
        error={checked && nameWrong ? "Write it as owner/repo" : undefined}
        data-autofocus
        autoCapitalize="off"
        spellCheck={false}
        onPaste={takeAddress}
      />
      <SourceFields
        text={text}
        problems={shownProblems}
        credentials={credentials}
        placeholderUrl={`https://github.com/${name === "" ? "acme/webshop" : name}.git`}
        onChange={setText}
      />
      <Collapse expanded={selecting}>
        <SelectionFields text={text} problems={shownProblems} onChange={setText} />
      </Collapse>
    </DialogForm>
  );
}
