import type { Identity } from "@sightline/identity";
import { renderTable } from "./output/render-table.ts";
import { onParts } from "./on-database.ts";

type AdminOptions = { readonly email: string; readonly name: string; readonly tenant: string };

/** `sightline admin create`: for the first admin, and for when nobody can log in any more. */
export function createAdmin({ email, name, tenant }: AdminOptions): Promise<void> {
  return onParts("admin", async ({ identity }) => {
    const admin = await identity.createAdmin({ email, name, tenantName: tenant });
    console.log(`Made the admin ${admin.email}.`);
    if (admin.oneTimePassword !== undefined) {
      showOneTimePassword(admin.oneTimePassword);
    }
  });
}

/** `sightline admin reset-password` */
export function resetPassword(address: string): Promise<void> {
  return onParts("admin", async ({ identity: { host } }) => {
    const { email, oneTimePassword } = await host.resetPassword(address);
    console.log(`The password of ${email} is replaced, and every session ended. A second factor is asked for as before.`);
    showOneTimePassword(oneTimePassword);
  });
}

/** `sightline admin reset-2fa` */
export function resetSecondFactor(options: { readonly email: string; readonly reason: string }): Promise<void> {
  return onParts("admin", async ({ identity: { host } }) => {
    const { email } = await host.resetSecondFactor(options);
    console.log(`The second factor of ${email} is taken away, and every session ended: the password alone logs in now. Set a new one up.`);
  });
}

/** `sightline admin unlock-2fa` */
export function unlockSecondFactor(address: string): Promise<void> {
  return onParts("admin", async ({ identity: { host } }) => {
    const { email } = await host.unlockSecondFactor(address);
    console.log(`The codes of ${email} are looked at again.`);
  });
}

/** `sightline admin list` */
export function listAdmins(): Promise<void> {
  return onParts("admin", async ({ identity: { host } }) => {
    const admins = await host.listAdmins();
    if (admins.length === 0) {
      console.log("There is no admin. Make one: sightline admin create --email … --name …");
      return;
    }
    const rows = admins.map((admin) => [
      admin.email,
      admin.name,
      admin.tenant,
      admin.hasSecondFactor ? "on" : "off",
      stateOf(admin),
      admin.lastLoginAt?.toISOString() ?? "never",
    ]);
    console.log(renderTable(["e-mail", "name", "tenant", "second factor", "state", "last login"], rows));
  });
}

function stateOf({ disabledAt, mustChangePassword }: Awaited<ReturnType<Identity["host"]["listAdmins"]>>[number]): string {
  if (disabledAt !== null) {
    return "disabled";
  }
  return mustChangePassword ? "has to set a password" : "active";
}

function showOneTimePassword(password: string): void {
  console.log(`One-time password (to be changed at the first login, not shown again): ${password}`);
}
