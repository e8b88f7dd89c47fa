import { Drawer } from "@mantine/core";
import { Brand } from "./brand.tsx";
import classes from "./frame.module.css";
import { Navigation } from "./navigation.tsx";
import { UserMenu } from "./user-menu.tsx";

type NavigationDrawerProps = { readonly opened: boolean; readonly onClose: () => void; readonly onClosed: () => void };

/** The navigation where the screen has no room for it. */
export function NavigationDrawer({ opened, onClose, onClosed }: NavigationDrawerProps) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      size={272}
      title={<Brand />}
      closeButtonProps={{ "aria-label": "Close the navigation" }}
    >
      <div className={classes.drawer}>
        <Navigation onNavigate={onClose} />
        <UserMenu />
      </div>
    </Drawer>
  );
}
