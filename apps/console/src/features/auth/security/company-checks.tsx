import type { SsoTest } from "@sightline/identity/contract";
import { Status } from "#ui/words/status.tsx";
import classes from "./company-sign-in.module.css";

/** What a test of the provider found, one line for each thing that was looked at. */
export function CompanyChecks({ checks }: Pick<SsoTest, "checks">) {
  return (
    <div role="status">
      <ul className={classes.checks} aria-label="What the test found">
        {checks.map(({ name, ok, message }) => (
          <li key={name}>
            <Status tone={ok ? "ok" : "bad"}>{ok ? name : `${name}: not right yet`}</Status>
            <p>{message}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
