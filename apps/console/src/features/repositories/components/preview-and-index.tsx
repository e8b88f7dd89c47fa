import { Button, Modal } from "@mantine/core";
import type { Repository } from "@sightline/code-index/contract";
import { IconEye } from "@tabler/icons-react";
import { useState } from "react";
import { ReviewPreview } from "./review-preview.tsx";

type PreviewAndIndexProps = { readonly repository: Repository; readonly offered: boolean; readonly size?: "xs" | "sm" };

/** Opens the last look at a repository that was registered and never indexed; stays until that is closed. */
export function PreviewAndIndex({ repository, offered, size = "sm" }: PreviewAndIndexProps) {
  const [opened, setOpened] = useState(false);
  // What is changed in the dialog is shown in it at once; the list follows.
  const [shown, setShown] = useState<Repository>();

  function open(): void {
    setShown(repository);
    setOpened(true);
  }

  return (
    <>
      {offered && (
        <Button size={size} leftSection={<IconEye size={14} />} aria-label={`Preview and index ${repository.full_name}`} onClick={open}>
          Preview and index
        </Button>
      )}
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title={`Index ${repository.full_name}?`}
        size="xl"
        // The button is gone once there is an index.
        returnFocus={false}
        onExitTransitionEnd={() => focusFirst([previewButtonId(repository), settingsLinkId(repository), "main"])}
      >
        {shown !== undefined && <ReviewPreview repository={shown} onChanged={setShown} onDone={() => setOpened(false)} />}
      </Modal>
    </>
  );
}

export function settingsLinkId({ id }: Repository): string {
  return `settings-of-${id}`;
}

function previewButtonId({ id }: Repository): string {
  return `preview-of-${id}`;
}

/** Focuses the first of these elements that is on the page. */
function focusFirst(ids: readonly string[]): void {
  const found = ids.map((id) => document.getElementById(id)).find((element) => element !== null);
  found?.focus();
}
