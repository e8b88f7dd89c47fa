import { refusalsOf } from "@sightline/foundation/errors";

/** What identity refuses in words that never change. */
export const refusal = refusalsOf({
  account_disabled: [409, "This account is disabled, so no password opens it. Enable it first."],
  admin_too_new: [
    403,
    "Within the last day another admin made you one, or gave you a new password or second factor. Until that is a day ago, you neither ask for a reset that needs two admins nor confirm one.",
  ],
  already_enabled: [409, "This account has a second factor. To move it to another device: POST /admin/2fa/replace."],
  auth_failed: [401, "Send an access token as Authorization: Bearer <token>; log in again if yours has ended."],
  client_gone: [400, "The connection ended before the answer."],
  code_required: [400, "Your account has a second factor. Send its code with the password."],
  connection_not_found: [404, "You have no connected app of that id, or it has ended; GET /login/connections lists yours."],
  connection_request_over: [
    409,
    "What the app asked for was answered, took too long, or was begun in another browser. Connect from the app once more.",
  ],
  cross_origin: [
    403,
    "This address may not be called from another site. Open the console at PUBLIC_URL, or add its origin to CORS_ORIGINS.",
  ],
  email_taken: [409, "There is an account with this e-mail address. Use that one, or another address."],
  invalid_credentials: [401, "E-mail address or password is wrong. Check both, then try again."],
  // Whatever is wrong with an answer of a passkey, a forger learns nothing.
  invalid_passkey: [401, "This passkey was not accepted. Try it once more, or log in another way."],
  invalid_partial_token: [401, "The first step of the login has ended or was used up. Log in with your password again."],
  invalid_tenant_name: [400, "A tenant's name has 1 to 41 lower-case letters, digits and underscores, and begins with a letter."],
  last_admin: [409, "This is the last active admin of the organisation. Make another account an admin first."],
  link_not_valid: [400, "This link was used already, is over, or is none of ours. Ask for a new one."],
  no_reset_waiting: [409, "No reset of this account's second factor waits for another admin."],
  not_enabled: [409, "This account has no second factor. Its owner sets one up with POST /admin/2fa/setup."],
  not_found: [404, "You have no such notice."],
  own_second_factor: [403, "Nobody resets their own second factor. Replace or disable it with password and code, or ask another admin."],
  passkey_required: [400, "The second factor of your account is a passkey. Use it: POST /step-up/passkey."],
  password_change_required: [403, "Replace the one-time password first: POST /login/password."],
  password_too_common: [400, "This password is among the first that are guessed. Choose a longer phrase of your own."],
  password_unchanged: [400, "The new password is the current one. Choose another."],
  reauthentication_required: [403, 'This login is more than ten minutes old. Send your password with the request: {"password": "…"}.'],
  registration_closed: [403, "Registration is closed. Ask an admin for an account."],
  second_factor_needed: [
    403,
    "Set up a second factor of your own first: only then can you take another's, or change what is asked of admins.",
  ],
  second_factor_required: [403, "Your organisation asks admins for a second factor. Set one up first: POST /admin/2fa/setup."],
  second_factor_unreadable: [
    503,
    "The server cannot read the secret of your authenticator app. Use a backup code, and tell the operator to look at the log.",
  ],
  session_ended: [401, "There is no session, or it has ended. Log in again."],
  session_not_found: [404, "You have no session of that id, or it has ended; GET /login/sessions lists yours."],
  // Whatever is wrong with the ticket of a set-up, the way on is the same, and a forger learns nothing.
  setup_invalid: [400, "There is no set-up under way in this session that this could finish. Start it again, and scan the new QR code."],
  step_up_required: [403, "Show your password, and your code if you have a second factor, once more: POST /step-up."],
  too_few_admins: [409, "With fewer than three active admins nobody could confirm a reset. Make another account an admin first."],
  too_many_passkeys: [409, "This account has 20 passkeys, which is the most. Remove one that is not used any more."],
  unknown_passkey: [404, "You have no such passkey. See GET /login/passkeys."],
  unknown_user: [404, "Your organisation has no such account. See GET /admin/users."],
  wrong_password: [403, "The password is wrong. Check it, then try again."],
});
