import classes from "./brand.module.css";

export function Brand() {
  return (
    <span className={classes.brand}>
      <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="var(--mantine-color-iris-6)" />
        <circle cx="16" cy="16" r="7.5" fill="none" stroke="#fff" strokeWidth="2.4" />
        <circle cx="16" cy="16" r="2.6" fill="#fff" />
        <path d="M16 4.5v5M16 22.5v5M4.5 16h5M22.5 16h5" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" />
      </svg>
      Sightline
    </span>
  );
}
