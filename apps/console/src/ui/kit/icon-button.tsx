import { ActionIcon, type ActionIconProps, Tooltip } from "@mantine/core";
import type { ComponentProps } from "react";

type IconButtonProps = ActionIconProps & Pick<ComponentProps<"button">, "onClick" | "aria-pressed"> & { readonly label: string };

/** A grey button of one icon, which its tooltip names. */
export function IconButton({ label, ...button }: IconButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} {...button} />
    </Tooltip>
  );
}
