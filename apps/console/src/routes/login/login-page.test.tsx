// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { ME, renderConsole } from "#testing/render-console.tsx";
import { refuse } from "#testing/serve.ts";

const LOGIN = "POST /api/identity/login/access-token";
const VERIFY = "POST /api/identity/login/verify-2fa";
const partial = { two_factor_required: true, partial_token: "half", expires_in: 300 };

async function logIn(answers: Readonly<Record<string, unknown>>) {
  const { user, requests, router } = renderConsole("/login?next=/projects", answers, false);
  await user.type(await screen.findByRole("textbox", { name: "E-mail" }), "ada@example.com");
  await user.type(screen.getByLabelText("Password"), "correct horse{Enter}");
  return { user, requests, router };
}

describe("the login", () => {
  it("says that email and password did not match, and keeps the email", async () => {
    await logIn({ [LOGIN]: () => refuse(401, "auth_failed", "Check your email and password.") });
    expect((await screen.findByRole("alert")).textContent).toContain("Check your email and password.");
    expect(screen.getByRole("textbox", { name: "E-mail" })).toHaveProperty("value", "ada@example.com");
  });

  it("lets nobody try again before the time that the server names", async () => {
    await logIn({ [LOGIN]: () => refuse(429, "rate_limited", "Slow down.", { "retry-after": "90" }) });
    expect((await screen.findByRole("alert")).textContent).toContain("You can try again in 1:30.");
    expect(screen.getByRole("button", { name: "Wait 1:30" })).toHaveProperty("disabled", true);
  });

  it("sends a code of six digits by itself, and leads to where one wanted to go", async () => {
    const { user, requests, router } = await logIn({
      [LOGIN]: partial,
      [VERIFY]: { access_token: "token", token_type: "bearer", expires_in: 900, method: "totp", backup_codes_remaining: 10 },
      "GET /api/identity/login/me": ME,
    });
    await user.type(await screen.findByRole("textbox", { name: "Code" }), "123456");
    await waitFor(() => expect(router.state.location.pathname).toBe("/projects"));
    expect(requests.find(({ path }) => path.endsWith("/verify-2fa"))?.body).toEqual({ partial_token: "half", code: "123456" });
  });

  it("does not ask for a one-time password twice", async () => {
    const { user, requests } = await logIn({
      [LOGIN]: { access_token: "token", token_type: "bearer", expires_in: 900 },
      "GET /api/identity/login/me": { ...ME, must_change_password: true },
      "POST /api/identity/login/password": () => refuse(403, "wrong_password", "The current password is wrong."),
    });
    await user.type(await screen.findByLabelText("New password"), "seven green lanterns");
    expect(screen.queryByLabelText("Current password")).toBeNull();
    await user.type(screen.getByLabelText("Confirm new password"), "seven green lanterns{Enter}");
    await waitFor(() =>
      expect(requests.find(({ path }) => path.endsWith("/login/password"))?.body).toEqual({
        current_password: "correct horse",
        new_password: "seven green lanterns",
      }),
    );
    // Somebody else may have replaced it meanwhile.
    expect(await screen.findByLabelText("Current password")).not.toBeNull();
  });

  it("asks for the password again once the second step is refused as a whole", async () => {
    const { user } = await logIn({ [LOGIN]: partial, [VERIFY]: () => refuse(401, "auth_failed", "Too many wrong codes.") });
    await user.type(await screen.findByRole("textbox", { name: "Code" }), "123456");
    expect((await screen.findByText("This login has expired")).closest("[role=alert]")?.textContent).toContain("Too many wrong codes.");
    await user.click(screen.getByRole("button", { name: "Start over" }));
    expect(await screen.findByRole("textbox", { name: "E-mail" })).toHaveProperty("value", "ada@example.com");
  });
});
