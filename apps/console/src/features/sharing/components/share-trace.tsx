import { Button, Checkbox, Modal, NativeSelect, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { MAX_SHARE_HOURS, SHARED_PARTS } from "@sightline/observability/contract";
import { IconShare2 } from "@tabler/icons-react";
import { useState } from "react";
import { createShareLink, shareLinksQuery } from "#features/sharing/api/share-links.ts";
import { useChange } from "#http/use-change.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";

type Props = { readonly projectId: string; readonly traceId: string; readonly onClose: () => void };

const VALIDITIES = Object.entries({ 1: "an hour", 24: "a day", 168: "7 days", [MAX_SHARE_HOURS]: "30 days" });
const LABELS = { content: "Inputs, outputs and error messages", state: "The state of graphs", code: "Which code ran" };
const OFF = "Links are off in this project. An owner switches them on in Settings, Sharing.";
const ABOUT = "Anyone with the link can read it. What the project masks is masked; ids, users and metadata are not shown.";

/** Makes a link that shows the trace to whoever has it. */
export function ShareTrace({ isSharing, ...props }: Omit<Props, "onClose"> & { readonly isSharing: boolean }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="xs" variant="default" leftSection={<IconShare2 size={15} />} onClick={open}>
        Share
      </Button>
      <Modal opened={isOpen} onClose={close} title="Share this trace">
        {isSharing ? <ShareForm {...props} onClose={close} /> : OFF}
      </Modal>
    </>
  );
}

function ShareForm({ projectId, traceId, onClose }: Props) {
  const [hours, setHours] = useState("168");
  const [shown, setShown] = useState<string[]>(["content"]);
  const shows = SHARED_PARTS.filter((part) => shown.includes(part));
  const create = useChange({
    send: () => createShareLink(projectId, traceId, { hours: Number(hours), shows }),
    gcTime: 0,
    refreshes: [shareLinksQuery(projectId).queryKey],
  });
  if (create.data !== undefined) {
    return (
      <>
        <Text mb="sm">Whoever has this link sees the trace, without a login. It is shown only now; end it in Settings, Sharing.</Text>
        <CopyableBlock text={create.data.url} label="the link" />
      </>
    );
  }
  return (
    <DialogForm change={create} failed="No link was made" submit="Make a link" onSubmit={() => create.mutate()} onCancel={onClose}>
      <Text size="sm">{ABOUT}</Text>
      <NativeSelect label="Valid for" data={VALIDITIES.map(([value, label]) => ({ value, label }))} {...typedInto(hours, setHours)} />
      <Checkbox.Group label="Shows" value={shown} onChange={setShown}>
        {SHARED_PARTS.map((part) => (
          <Checkbox key={part} value={part} label={LABELS[part]} mt={6} />
        ))}
      </Checkbox.Group>
    </DialogForm>
  );
}
