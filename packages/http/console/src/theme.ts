// The look of the console: colours, sizes and defaults of components. Texts have a contrast of at least 4.5 : 1 in both schemes.
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from "@mantine/core"

const pine: MantineColorsTuple = [
  "#ecfdf7",
  "#d3f6e9",
  "#a7ecd5",
  "#74dcbd",
  "#43c4a1",
  "#21a585",
  "#12876d",
  "#0d6e5a",
  "#0c5848",
  "#0a483c",
]

const gray: MantineColorsTuple = [
  "#fafafa",
  "#f4f4f5",
  "#e9e9ec",
  "#dedee3",
  "#c9c9d1",
  "#a1a1ad",
  "#71717d",
  "#52525d",
  "#3a3a44",
  "#1f1f27",
]

const dark: MantineColorsTuple = [
  "#e8e8ea",
  "#b5b5bb",
  "#8e8e97",
  "#62626b",
  "#3a3a41",
  "#2b2b31",
  "#1f1f24",
  "#161619",
  "#101013",
  "#0b0b0d",
]

export const theme = createTheme({
  primaryColor: "pine",
  primaryShade: { light: 7, dark: 7 },
  colors: { pine, gray, dark },
  autoContrast: true,
  black: "#18181d",
  defaultRadius: "md",
  cursorType: "pointer",
  radius: { xs: "3px", sm: "5px", md: "7px", lg: "10px", xl: "20px" },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  fontSizes: { xs: "0.75rem", sm: "0.84375rem", md: "0.9375rem", lg: "1.0625rem", xl: "1.25rem" },
  headings: {
    fontWeight: "650",
    sizes: {
      h1: { fontSize: "1.375rem", lineHeight: "1.3" },
      h2: { fontSize: "1.0625rem", lineHeight: "1.35" },
      h3: { fontSize: "0.9375rem", lineHeight: "1.4" },
    },
  },
  components: {
    Button: { defaultProps: { size: "sm" } },
    Modal: { defaultProps: { centered: true, radius: "lg", overlayProps: { backgroundOpacity: 0.45 } } },
    // Their heads are no banners of the page.
    ModalHeader: { defaultProps: { role: "none" } },
    DrawerHeader: { defaultProps: { role: "none" } },
    Drawer: { defaultProps: { position: "right", overlayProps: { backgroundOpacity: 0.35 } } },
    Paper: { defaultProps: { withBorder: true, radius: "lg" } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
    // The first entry takes the focus: a placeholder would be a child of the menu that is no entry.
    Menu: { defaultProps: { shadow: "md", radius: "md", withInitialFocusPlaceholder: false } },
    // The list scrolls by itself: a box that scrolls within it would be no option.
    ComboboxOptions: { defaultProps: { mah: 260, className: "scroll" } },
    Select: { defaultProps: { withScrollArea: false } },
    TagsInput: { defaultProps: { withScrollArea: false } },
    Badge: { defaultProps: { variant: "light", radius: "sm", tt: "none", fw: 550 } },
  },
})

/** Mantine's pale fills and dimmed texts are too pale for their texts: darker in light, lighter in dark. */
const tones = ["blue", "cyan", "grape", "green", "indigo", "lime", "orange", "pine", "red", "teal", "violet", "yellow"]

const deep: Readonly<Record<string, string>> = {
  green: "#1b5e2b",
  lime: "#3f5a0c",
  orange: "#8a3c06",
  red: "#a51d1d",
  teal: "#06594a",
  yellow: "#7a4b00",
  cyan: "#0b5566",
  blue: "#14539a",
  pine: "#0c5848",
}

/** Dark enough for white texts. */
const red = { "--mantine-color-red-filled": "#c92a2a", "--mantine-color-red-filled-hover": "#a51d1d" }

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...red,
    "--mantine-color-dimmed": "#5c5c68",
    "--mantine-color-placeholder": "#6b6b77",
    "--mantine-color-error": "#b42318",
    "--mantine-color-anchor": "#0d6e5a",
    "--mantine-color-body": "#ffffff",
    "--mantine-color-default-border": "#e2e2e7",
    "--console-side": "#fafafb",
    ...Object.fromEntries(
      tones.map((tone) => [`--mantine-color-${tone}-light-color`, deep[tone] ?? `var(--mantine-color-${tone}-9)`]),
    ),
    "--mantine-color-gray-light-color": "#3a3a44",
    "--mantine-primary-color-light-color": "#0c5848",
  },
  dark: {
    ...red,
    "--mantine-color-dimmed": "#a6a6ae",
    "--mantine-color-placeholder": "#94949d",
    "--mantine-color-error": "#ff9d95",
    "--mantine-color-anchor": "#5fd3b3",
    "--mantine-color-body": "#161619",
    "--mantine-color-default": "#1c1c20",
    "--mantine-color-default-border": "#303036",
    "--console-side": "#121215",
    ...Object.fromEntries(
      tones.map((tone) => [`--mantine-color-${tone}-light-color`, `var(--mantine-color-${tone}-2)`]),
    ),
    "--mantine-color-gray-light-color": "#d4d4da",
    "--mantine-primary-color-light-color": "#74dcbd",
  },
})
