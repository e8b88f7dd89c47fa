import { ActionIcon, Menu } from "@mantine/core";
import type { AccountItem } from "@sightline/identity/contract";
import {
  IconDots,
  IconKey,
  IconListSearch,
  IconLockExclamation,
  IconPencil,
  IconShieldOff,
  IconTrash,
  IconUserCheck,
  IconUserOff,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

/** What someone wants to do to an account; each has its dialog. */
export type Intent = {
  readonly kind: "edit" | "require-password" | "reset-password" | "reset-second-factor" | "disable" | "enable" | "delete";
  readonly account: AccountItem;
};

type AccountMenuProps = {
  readonly account: AccountItem;
  /** One's own account: nothing here may lock its owner out. */
  readonly own: boolean;
  readonly onIntent: (intent: Intent) => void;
};

export function AccountMenu({ account, own, onIntent }: AccountMenuProps) {
  const want = (kind: Intent["kind"]) => () => onIntent({ kind, account });
  return (
    <Menu
      id={menuIdOf(account)}
      position="bottom-end"
      shadow="md"
      width={250}
      withInitialFocusPlaceholder={false}
      portalProps={{ target: "#main" }}
    >
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${account.name}`}>
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={15} />} onClick={want("edit")}>
          {own ? "Change the name…" : "Change name or role…"}
        </Menu.Item>
        <Menu.Item component={Link} to="/admin/audit" search={{ user: account.id }} leftSection={<IconListSearch size={15} />}>
          Show in the audit
        </Menu.Item>
        {!own && (
          <>
            <Menu.Divider />
            {!account.must_change_password && !account.invited && (
              <Menu.Item leftSection={<IconLockExclamation size={15} />} onClick={want("require-password")}>
                Require a new password…
              </Menu.Item>
            )}
            {account.disabled_at === null && (
              <Menu.Item leftSection={<IconKey size={15} />} onClick={want("reset-password")}>
                {account.invited ? "Invite again…" : "Reset the password…"}
              </Menu.Item>
            )}
            {account.totp_enabled && (
              <Menu.Item leftSection={<IconShieldOff size={15} />} onClick={want("reset-second-factor")}>
                Reset the second factor…
              </Menu.Item>
            )}
            <Menu.Divider />
            {account.disabled_at === null ? (
              <Menu.Item leftSection={<IconUserOff size={15} />} onClick={want("disable")}>
                Disable…
              </Menu.Item>
            ) : (
              <Menu.Item leftSection={<IconUserCheck size={15} />} onClick={want("enable")}>
                Enable…
              </Menu.Item>
            )}
            <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={want("delete")}>
              Delete…
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Where the focus goes back to when a dialog that came from this menu closes; Mantine gives it to the menu's button. */
export function menuIdOf({ id }: AccountItem): string {
  return `account-${id}`;
}
