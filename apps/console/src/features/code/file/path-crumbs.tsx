import { Link } from "@tanstack/react-router";
import { codeLink } from "#ui/page/code-link.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./file-header.module.css";

type PathCrumbsProps = { readonly repo: string; readonly path: string; readonly branch: string | undefined };

/** A path whose folders lead to what is in them. One that ends with a slash is a folder's. */
export function PathCrumbs({ repo, path, branch }: PathCrumbsProps) {
  const names = path.split(/(?<=\/)/u);
  const search = branch === undefined ? {} : { ref: branch };
  return (
    <>
      {names.map((name, index) =>
        index === names.length - 1 ? (
          <span key={index}>
            <SafeText text={name} />
          </span>
        ) : (
          <Link key={index} className={classes.folder} {...codeLink(repo)} search={{ ...search, path: names.slice(0, index + 1).join("") }}>
            <SafeText text={name} />
          </Link>
        ),
      )}
    </>
  );
}
