import { Kbd, UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import classes from "./palette-button.module.css";

export function PaletteButton({ onOpen }: { readonly onOpen: () => void }) {
  return (
    <UnstyledButton className={classes.button} onClick={onOpen} aria-keyshortcuts="Control+K Meta+K">
      <IconSearch size={15} stroke={1.8} aria-hidden="true" />
      <span className={classes.words}>Search everything</span>
      <Kbd size="xs" className={classes.keys} aria-hidden="true">
        Ctrl K
      </Kbd>
    </UnstyledButton>
  );
}
