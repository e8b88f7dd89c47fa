import { AppError } from "@sightline/foundation/errors";

export function notEnabled(): AppError {
  return new AppError({
    code: "not_enabled",
    status: 409,
    message: "This account has no second factor. Its owner sets one up with POST /admin/2fa/setup.",
  });
}

export function alreadyEnabled(): AppError {
  return new AppError({
    code: "already_enabled",
    status: 409,
    message: "This account has a second factor. To move it to another device: POST /admin/2fa/replace.",
  });
}

/** Whatever is wrong with the setup ticket, the way on is the same, and a forger learns nothing. */
export function setupInvalid(): AppError {
  return new AppError({
    code: "setup_invalid",
    status: 400,
    message: "There is no set-up under way in this session that this could finish. Start it again, and scan the new QR code.",
  });
}

export function setupExpired(message: string): AppError {
  return new AppError({ code: "setup_expired", status: 400, message });
}
