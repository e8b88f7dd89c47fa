import { changePasswordRequestSchema } from "@sightline/identity/contract";

/** What is wrong with a new password before it is sent; the server also refuses what is guessed first. */
export function problemWithNewPassword(chosen: string): string | undefined {
  const weak = changePasswordRequestSchema.shape.new_password.safeParse(chosen).error?.issues[0]?.message;
  return weak === undefined ? undefined : `A password has ${weak}`;
}
