import {
  type AlertFactory,
  type AnchorFactory,
  type ButtonFactory,
  DEFAULT_THEME,
  type DrawerFactory,
  type EmptyStateFactory,
  type ExtendComponent,
  type MantineColorsTuple,
  type MenuFactory,
  type ModalFactory,
  type ModalHeaderProps,
  type NotificationFactory,
  type PaperFactory,
  type TableFactory,
  type TagsInputFactory,
  type TooltipFactory,
  convertCssVariables,
  createTheme,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from "@mantine/core";

const colors: Readonly<Record<string, MantineColorsTuple>> = {
  iris: ["#eef2ff", "#dfe6ff", "#bccaff", "#94a9fd", "#7d94fa", "#5570f2", "#3f58e6", "#3346cc", "#2c3ba6", "#28377f"],
  gray: ["#f7f8fa", "#eff1f4", "#e4e7ec", "#d5d9e1", "#b9bfca", "#858c9c", "#5f6676", "#464c5c", "#2b303c", "#161922"],
  dark: ["#d9dce4", "#b8bcc8", "#959bab", "#6f7586", "#363b49", "#282c38", "#1b1e27", "#12141b", "#0d0f14", "#08090c"],
  // Mantine's own is too pale to carry white words.
  red: ["#fff0f0", "#ffdedf", "#ffc1c4", "#ff9a9f", "#f66c73", "#e74a54", "#d32f3a", "#b42430", "#921d28", "#6e151e"],
};

export const theme = createTheme({
  primaryColor: "iris",
  primaryShade: { light: 6, dark: 6 },
  colors,
  black: "#161922",
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: '"JetBrains Mono Variable", ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: "600", sizes: { h1: { fontSize: "1.375rem" }, h2: { fontSize: "1rem" }, h3: { fontSize: "0.875rem" } } },
  defaultRadius: "md",
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.25rem" },
  cursorType: "pointer",
  respectReducedMotion: true,
  // Not by their own `extend`, which would bring every one of them into the first load.
  components: {
    // The variant's own colours are loud behind text, and too pale for it.
    Alert: {
      styles: { body: { minWidth: 0 }, title: { color: "var(--mantine-color-text)" }, label: { whiteSpace: "normal" } },
      vars: (_theme, { color }) => ({
        root: { "--alert-bg": `color-mix(in srgb, var(--mantine-color-${color ?? "iris"}-6) 10%, transparent)` },
      }),
    } satisfies ExtendComponent<AlertFactory>,
    Anchor: { defaultProps: { underline: "hover" } } satisfies ExtendComponent<AnchorFactory>,
    Button: { defaultProps: { size: "sm" } } satisfies ExtendComponent<ButtonFactory>,
    // Mantine locks the page's scroll by an inline style sheet, which the content security policy forbids: base.css does it.
    Drawer: { defaultProps: { lockScroll: false } } satisfies ExtendComponent<DrawerFactory>,
    EmptyState: {
      styles: { indicator: { marginBottom: 6 }, actions: { marginTop: 8 } },
      vars: () => ({ root: { "--empty-state-indicator-size": "2.25rem" }, indicator: {}, title: {}, description: {} }),
    } satisfies ExtendComponent<EmptyStateFactory>,
    // Its placeholder for the focus is in a menu without being an item; the first item has the focus, as the ARIA practices want it.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } } satisfies ExtendComponent<MenuFactory>,
    Modal: {
      defaultProps: { lockScroll: false, centered: true, closeButtonProps: { "aria-label": "Close" } },
      styles: { title: { fontSize: "1rem", fontWeight: 600 } },
    } satisfies ExtendComponent<ModalFactory>,
    // A dialog's head is no banner of the page; two dialogs would be two banners.
    ModalHeader: { defaultProps: { role: "none" } satisfies Partial<ModalHeaderProps> },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } } satisfies ExtendComponent<NotificationFactory>,
    Paper: { defaultProps: { withBorder: true } } satisfies ExtendComponent<PaperFactory>,
    Table: { defaultProps: { verticalSpacing: "sm", horizontalSpacing: "md" } } satisfies ExtendComponent<TableFactory>,
    // Its words are typed. A list of none counts as open all the same, and takes the dialog's Escape.
    TagsInput: { defaultProps: { dropdownOpened: false } } satisfies ExtendComponent<TagsInputFactory>,
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } } satisfies ExtendComponent<TooltipFactory>,
  },
});

/**
 * Gives the page the theme's variables as a constructed style sheet. Mantine itself would
 * write a `<style>` element, which the content security policy forbids.
 */
export function adoptTheme(page: Document): void {
  const sheet = new CSSStyleSheet();
  const { variables, light, dark: dim } = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme));
  // The library's own red is too pale for text.
  const error = { "--mantine-color-error": "var(--sl-bad)" };
  sheet.replaceSync(convertCssVariables({ variables, light: { ...light, ...error }, dark: { ...dim, ...error } }));
  page.adoptedStyleSheets = [...page.adoptedStyleSheets, sheet];
}
