import { useClipboard } from "@mantine/hooks";
import { IconCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { IconButton } from "#ui/kit/icon-button.tsx";

/** The text is made when it is asked for: of a large value it is long work. */
export function CopyAction({
  label,
  read,
  children,
}: {
  readonly label: string;
  readonly read: () => string;
  readonly children: ReactNode;
}) {
  const { copied, copy } = useClipboard({ timeout: 1_500 });
  return (
    <IconButton label={copied ? "Copied" : label} onClick={() => copy(read())}>
      {copied ? <IconCheck size={15} /> : children}
    </IconButton>
  );
}
