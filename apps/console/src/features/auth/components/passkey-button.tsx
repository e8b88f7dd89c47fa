import { Button, type ButtonProps } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Failed } from "#ui/kit/failed-change.tsx";

type PasskeyButtonProps = Pick<ButtonProps, "size" | "disabled"> & {
  readonly asking: { readonly error: Error | null; readonly isPending: boolean };
  /** Whether it is the only way on, and so the first thing that a dialog or page offers. */
  readonly isOnlyWay?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
};

/** Asks for a passkey, and says why none was taken. */
export function PasskeyButton({ asking, isOnlyWay = false, onClick, children, ...button }: PasskeyButtonProps) {
  return (
    <>
      <Failed error={asking.error} title="The passkey was not accepted" />
      <Button
        {...button}
        fullWidth
        variant={isOnlyWay ? "filled" : "default"}
        leftSection={<IconFingerprint size={18} aria-hidden="true" />}
        loading={asking.isPending}
        autoFocus={isOnlyWay}
        data-autofocus={isOnlyWay || undefined}
        onClick={onClick}
      >
        {children}
      </Button>
    </>
  );
}
