import { ActionIcon, Menu, type MenuItemProps } from "@mantine/core";
import { type AccountItem, factorsOfAccount } from "@sightline/identity/contract";
import {
  IconDots,
  IconKey,
  IconListSearch,
  IconLockExclamation,
  IconLockOpen,
  IconPencil,
  IconShieldCheck,
  IconShieldOff,
  IconTrash,
  IconUserCheck,
  IconUserOff,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

/** What someone wants to do to an account; each has its dialog. */
export type Intent = {
  readonly kind:
    | "edit"
    | "require-password"
    | "reset-password"
    | "unlock-second-factor"
    | "reset-second-factor"
    | "take-back"
    | "disable"
    | "enable"
    | "delete";
  readonly account: AccountItem;
};

type AccountMenuProps = {
  readonly account: AccountItem;
  /** One's own account: nothing here may lock its owner out. */
  readonly own: boolean;
  readonly onIntent: (intent: Intent) => void;
};

export function AccountMenu({ account, own, onIntent }: AccountMenuProps) {
  const isEnabled = account.disabled_at === null;
  const factors = factorsOfAccount(account);
  const item = (kind: Intent["kind"], Icon: typeof IconKey, words: string, color: Pick<MenuItemProps, "color"> = {}) => (
    <Menu.Item leftSection={<Icon size={15} />} onClick={() => onIntent({ kind, account })} {...color}>
      {words}
    </Menu.Item>
  );
  return (
    <Menu
      id={toMenuId(account)}
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
        {item("edit", IconPencil, own ? "Change the name…" : "Change name or role…")}
        <Menu.Item component={Link} to="/admin/audit" search={{ user: account.id }} leftSection={<IconListSearch size={15} />}>
          Show in the audit
        </Menu.Item>
        {!own && (
          <>
            <Menu.Divider />
            {!account.must_change_password && !account.invited && item("require-password", IconLockExclamation, "Require a new password…")}
            {isEnabled && item("reset-password", IconKey, account.invited ? "Invite again…" : "Reset the password…")}
            {factors.includes("totp") && item("unlock-second-factor", IconLockOpen, "Unlock 2FA codes…")}
            {factors.length > 0 && item("reset-second-factor", IconShieldOff, "Reset 2FA…")}
            {account.waiting !== null && item("take-back", IconShieldCheck, "Withdraw what is waiting…")}
            <Menu.Divider />
            {isEnabled ? item("disable", IconUserOff, "Disable…") : item("enable", IconUserCheck, "Enable…")}
            {item("delete", IconTrash, "Delete…", { color: "red" })}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Where the focus goes back to when a dialog that came from this menu closes; Mantine gives it to the menu's button. */
export function toMenuId({ id }: AccountItem): string {
  return `account-${id}`;
}
