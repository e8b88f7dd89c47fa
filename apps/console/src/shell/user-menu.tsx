import { Avatar, Menu, UnstyledButton } from "@mantine/core";
import { IconKey, IconLogout, IconSelector, IconShieldLock } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useMe } from "#features/auth/api/me.ts";
import { ColorSchemeControl } from "./color-scheme-control.tsx";
import { useSignOut } from "./use-sign-out.ts";
import classes from "./user-menu.module.css";

export function UserMenu() {
  const me = useMe();
  const signOut = useSignOut();

  return (
    <div className={classes.foot}>
      <ColorSchemeControl />
      <Menu position="top-start" width="target" shadow="md" withinPortal={false}>
        <Menu.Target>
          <UnstyledButton className={classes.user}>
            <Avatar name={me.name} color="iris" size={30} radius="xl" alt="" />
            <span className={classes.words}>
              <span className={classes.name}>{me.name}</span>
              <span className={classes.email}>{me.email}</span>
            </span>
            <IconSelector size={15} aria-hidden="true" />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} to="/admin/security" leftSection={<IconShieldLock size={15} />}>
            Security
          </Menu.Item>
          <Menu.Item component={Link} to="/account/password" leftSection={<IconKey size={15} />}>
            Change password
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => void signOut()}>
            Log out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
