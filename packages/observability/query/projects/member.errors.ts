import { AppError } from "@sightline/foundation/errors";
import { MEMBERS_MAX } from "./members.store.ts";

export function lastOwner(): AppError {
  return new AppError({
    code: "last_owner",
    status: 409,
    message: "This is the project's last owner. Make somebody else an owner first, or ask an admin of your organisation.",
  });
}

export function tooManyMembers(): AppError {
  return new AppError({
    code: "too_many_members",
    status: 409,
    message: `A project has ${MEMBERS_MAX} members at the most. Open it to your whole organisation instead: PATCH it with {"access": "tenant"}.`,
  });
}
