import { Anchor, Paper } from "@mantine/core";
import { type IssueDetail, repositoryName } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { codeLink } from "#ui/page/code-link.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { formatExactCount } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { DaysBars } from "./days-bars.tsx";
import classes from "./issues.module.css";

const SHORT_COMMIT = 8;

/** The facts that all traces of an issue share, and how often it was seen. */
export function IssueFacts({ issue }: { readonly issue: IssueDetail }) {
  const { error, where, count, users, releases, commits, sparkline, first_seen: first, last_seen: last } = issue;
  const rows: readonly (readonly [string, ReactNode])[] = [
    ["Error", <SafeText key="error" text={[error.class, error.message].filter((part) => part !== null && part !== "").join(": ")} />],
    ["Path", <SafeText key="path" text={where.path.join(" › ")} />],
    ["Code", <Place key="code" where={where} />],
    ["Seen", <Seen key="seen" count={count} users={users} />],
    ["First", <TimeStamp key="first" at={first} />],
    ["Last", <TimeStamp key="last" at={last} />],
    ["Commits", commits.length === 0 ? "not said by its traces" : commits.map((commit) => commit.slice(0, SHORT_COMMIT)).join(", ")],
    ["Releases", releases.length === 0 ? "not said by its traces" : <SafeText key="releases" text={releases.join(", ")} />],
    ["30 days", <DaysBars key="days" days={sparkline} />],
  ];
  return (
    <Paper p="md">
      <dl className={classes.facts}>
        {rows.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </dl>
    </Paper>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Seen({ count, users }: Pick<IssueDetail, "count" | "users">) {
  return (
    <span className={classes.number}>
      {formatExactCount(count)} {count === 1 ? "trace" : "traces"}
      {users > 0 && `, ${formatExactCount(users)} ${users === 1 ? "user" : "users"}`}
    </span>
  );
}

function Place({ where: { repo, commit, file, line, function: name } }: Pick<IssueDetail, "where">) {
  if (file === undefined) {
    return name ?? "not said by its traces";
  }
  const place = `${file}${line === undefined ? "" : `:${line}`}`;
  return (
    <>
      {repo === undefined ? (
        place
      ) : (
        <Anchor
          component={Link}
          inherit
          {...codeLink(repositoryName(repo))}
          search={{ path: file, commit }}
          {...(line === undefined ? {} : { hash: `L${line}` })}
          hashScrollIntoView={false}
        >
          {place}
        </Anchor>
      )}
      {name !== undefined && ` in ${name}`}
    </>
  );
}
