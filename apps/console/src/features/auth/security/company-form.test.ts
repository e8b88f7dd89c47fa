import type { Sso } from "@sightline/identity/contract";
import { expect, it } from "vitest";
import { readSettings, toFormSettings } from "./company-form.ts";

const STORED: Sso = {
  ...toFormSettings(null),
  id: "018f0000-0000-7000-8000-000000000000",
  name: "Acme ID",
  issuer: "https://login.acme.example",
  client_id: "sightline",
  domains: ["acme.example"],
  domain_proofs: [],
  role_claim: null,
  redirect_uri: "https://sightline.example/login/sso",
  updated_at: "2026-11-25T00:00:00.000Z",
  last_login_at: null,
};

it("asks for everything that a new provider needs", () => {
  const read = readSettings(toFormSettings(null), null);

  expect(Object.keys("problems" in read ? read.problems : {}).toSorted()).toEqual([
    "client_id",
    "client_secret",
    "domains",
    "issuer",
    "name",
  ]);
});

it("leaves the stored secret where issuer and client stay, and asks for another where they do not", () => {
  const settings = toFormSettings(STORED);
  expect(readSettings({ ...settings, name: "Acme" }, STORED)).toMatchObject({ request: { name: "Acme", role_claim: null } });
  expect(readSettings({ ...settings, issuer: "https://other.example" }, STORED)).toMatchObject({
    problems: { client_secret: expect.any(String) },
  });
  expect(readSettings({ ...settings, issuer: "https://other.example", client_secret: "s" }, STORED)).toMatchObject({
    request: { client_secret: "s" },
  });
});
