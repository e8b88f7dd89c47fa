import { createRefusals } from "@sightline/foundation/errors";

/** The refusals of identity whose words never change. */
export const refusal = createRefusals({
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
  last_admin: [409, "This is the last active admin of the organization. Make another account an admin first."],
  link_not_valid: [400, "This link was used already, is over, or is none of ours. Ask for a new one."],
  no_password: [
    403,
    "This account has no password. Log in again, which confirms for ten minutes, or add a passkey then where your organization allows it.",
  ],
  not_enabled: [409, "This account has no second factor. Its owner sets one up with POST /admin/2fa/setup."],
  nothing_waiting: [409, "Nothing of this account waits for another admin."],
  not_found: [404, "Nothing of yours has this id. Load the list again."],
  passkeys_not_allowed: [403, "Your organization does not let members add passkeys. An admin can: Security, Your organization's policy."],
  own_second_factor: [403, "Nobody resets their own second factor. Replace or disable it with password and code, or ask another admin."],
  passkey_required: [400, "The second factor of your account is a passkey. Use it: POST /step-up/passkey."],
  password_change_required: [403, "Replace the one-time password first: POST /login/password."],
  password_too_common: [400, "This password is among the first that are guessed. Choose a longer phrase of your own."],
  password_unchanged: [400, "The new password is the current one. Choose another."],
  reauthentication_required: [403, 'This login is more than ten minutes old. Send your password with the request: {"password": "…"}.'],
  registration_closed: [403, "Registration is closed. Ask an admin for an account."],
  second_factor_needed: [
    403,
    "Set up a second factor of your own first: only then can you take or unlock another's, or change what is asked of admins.",
  ],
  second_factor_required: [403, "Your organization asks admins for a second factor. Set one up first: POST /admin/2fa/setup."],
  second_factor_unreadable: [
    503,
    "The server cannot read the secret of your authenticator app. Use a backup code, and tell the operator to look at the log.",
  ],
  reset_needed_first: [
    409,
    "Your organization has resets of a second factor wait for two admins, so a member who has one is not deleted by a single admin. Have the second factor reset first, or disable the account.",
  ],
  group_name_taken: [409, "Your organization has a group of this name. Give this one another."],
  too_many_groups: [409, "An organization has 1,000 groups at the most. Delete some that nothing is given to."],
  scim_domain_unproven: [
    403,
    "Your organization has not proven this e-mail domain, so no accounts are kept there. An admin proves it under Security, Company sign-in.",
  ],
  scim_not_found: [404, "There is no such person or group, or the directory has nothing to do with it."],
  scim_token_unknown: [
    401,
    "Send the directory's token as Authorization: Bearer sightline_scim_…; an admin makes one under Security, Directory.",
  ],
  session_ended: [401, "There is no session, or it has ended. Log in again."],
  session_not_found: [404, "You have no session of that id, or it has ended; GET /login/sessions lists yours."],
  // Whatever is wrong with the ticket of a set-up, the way on is the same, and a forger learns nothing.
  setup_invalid: [400, "There is no set-up under way in this session that this could finish. Start it again, and scan the new QR code."],
  break_glass_needed: [
    409,
    "An admin with a second factor has to keep logging in without the provider. Choose one for emergencies before you demand it of all.",
  ],
  break_glass_unfit: [409, "Only active admins with a second factor can be kept for emergencies. Choose others, or set one up first."],
  last_break_glass: [
    409,
    "This is the last admin who gets in when the company's sign-in fails. Choose another one for emergencies first, under company sign-in.",
  ],
  sso_domain_taken: [
    409,
    "Another organization has proven this domain. It is free once they remove it, or a week after their record is gone from DNS: delete that record there, keep yours, and verify again then.",
  ],
  sso_domain_unknown: [404, "Your organization lists no such domain. Add it to the company sign-in first: PUT /admin/sso."],
  sso_secret_needed: [400, "Send the client's secret with it: the stored one belongs to another provider or client."],
  sso_denied: [403, "The company's sign-in was cancelled, or its provider does not let you in. Try again, or ask who runs it."],
  sso_domain_not_allowed: [
    403,
    "Your e-mail domain is not one that this organization has proven and lets in. Ask an admin of your organization.",
  ],
  // Whatever is wrong with what a provider said, the way on is the same; the audit has the reason.
  sso_failed: [401, "What the sign-in provider answered could not be accepted. Try again; if it goes on, ask an admin to test it."],
  sso_no_account: [403, "There is no account for you here, or it belongs to another organization. Ask an admin of your organization."],
  sso_no_address: [
    403,
    "Your provider does not tell Sightline your e-mail address. Ask who runs it: you may have none there, or the scope email is not given.",
  ],
  sso_no_role: [403, "Your provider gives you no role in Sightline. Ask who runs it, or an admin of your organization."],
  sso_not_configured: [404, "Your organization has no company sign-in. Set it up: PUT /admin/sso."],
  sso_other_person: [
    403,
    "Your e-mail address belongs to an account that somebody else at your provider signs in to. Ask an admin of your organization.",
  ],
  sso_over: [400, "This sign-in took too long, was used already, or was begun in another browser. Start again from the login page."],
  sso_account_disabled: [403, "Your account is disabled. Ask an admin of your organization."],
  sso_provider_unreachable: [
    502,
    "The company's sign-in provider does not answer. Try again in a few minutes; accounts kept for emergencies log in with their password.",
  ],
  sso_required: [403, "Accounts of this e-mail domain log in with the company's provider. Use company sign-in on the login page."],
  sso_unknown_provider: [404, "There is no such sign-in provider any more. Load the login page again."],
  sso_address_not_verified: [403, "Your provider does not say that your e-mail address is verified. Verify it there, then try again."],
  step_up_required: [403, "Show your password, and your code if you have a second factor, once more: POST /step-up."],
  too_few_admins: [409, "With fewer than three active admins nobody could confirm a reset. Make another account an admin first."],
  too_many_passkeys: [409, "This account has 20 passkeys, which is the most. Remove one that is not used any more."],
  unknown_passkey: [404, "You have no such passkey. See GET /login/passkeys."],
  unknown_user: [404, "Your organization has no such account. See GET /admin/users."],
  wrong_password: [403, "The password is wrong. Check it, then try again."],
});
