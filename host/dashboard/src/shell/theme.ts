import {
  ActionIcon,
  Alert,
  Badge,
  Breadcrumbs,
  Button,
  Card,
  createTheme,
  defaultVariantColorsResolver,
  Input,
  Modal,
  NavLink,
  Pill,
  Table,
  Tabs,
  Title,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';

/** Shades for light grounds at the dark end and for dark grounds at the light end; the shades at 6 and 3 are those of the tokens. */
const shades = (...colors: readonly string[]): MantineColorsTuple => colors as unknown as MantineColorsTuple;

/** The names of Mantine's colours, each with the meaning that the tokens give it. */
const colors = {
  cyan: shades(
    '#e0f1f2',
    '#c3e4e6',
    '#8fd4d8',
    '#4fc3c9',
    '#2ea5ac',
    '#128089',
    '#0b6e75',
    '#095b61',
    '#08494e',
    '#06282b',
  ),
  teal: shades(
    '#e3f3ea',
    '#c6e7d6',
    '#93d3b3',
    '#5fbf8f',
    '#44a375',
    '#368a62',
    '#2b7554',
    '#236045',
    '#1a4b36',
    '#12301f',
  ),
  yellow: shades(
    '#fdf1d8',
    '#f9e2b3',
    '#eec779',
    '#e3ac45',
    '#c68e22',
    '#a87309',
    '#8a5a00',
    '#704900',
    '#573900',
    '#33280f',
  ),
  red: shades(
    '#fdeae8',
    '#fad1cd',
    '#f6a59d',
    '#f2786d',
    '#e0574b',
    '#cb3a30',
    '#b3261e',
    '#951e18',
    '#771813',
    '#3a1d1b',
  ),
  blue: shades(
    '#e8edfb',
    '#cfdaf8',
    '#adc0f6',
    '#8aa7f5',
    '#6484e0',
    '#4a6cd2',
    '#3358c4',
    '#2947a1',
    '#20387f',
    '#1b2540',
  ),
  gray: shades(
    '#f5f7f8',
    '#eef1f3',
    '#e6eaed',
    '#dfe4e8',
    '#c4ccd2',
    '#8e99a2',
    '#5f6b74',
    '#4a555e',
    '#2c353c',
    '#14191d',
  ),
  dark: shades(
    '#e8edf0',
    '#a9b5bd',
    '#8d9aa3',
    '#5d6b75',
    '#263038',
    '#1f282e',
    '#151b1f',
    '#0e1316',
    '#0b0f12',
    '#080b0d',
  ),
};

export const theme = createTheme({
  colors,
  primaryColor: 'cyan',
  primaryShade: { light: 6, dark: 3 },
  autoContrast: true,
  black: '#14191d',
  // A filled colour is dark on a light page and light on a dark one, and so is the text on it.
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    return input.variant === 'filled' ? { ...colors, color: 'var(--on-accent)' } : colors;
  },
  defaultRadius: 'sm',
  radius: { xs: '4px', sm: '5px', md: '8px', lg: '12px', xl: '16px' },
  fontFamily:
    'Inter, system-ui, "Segoe UI", Roboto, "Noto Sans", "Noto Sans SC", "Microsoft YaHei", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Consolas, "Noto Sans Mono", monospace',
  fontSizes: { xs: '11.5px', sm: '13px', md: '13px', lg: '15px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.45', lg: '1.5', xl: '1.5' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '1.3' },
      h2: { fontSize: '20px', lineHeight: '1.3' },
      h3: { fontSize: '13px', lineHeight: '1.45', fontWeight: '600' },
      h4: { fontSize: '13px', lineHeight: '1.45', fontWeight: '600' },
    },
  },
  cursorType: 'pointer',
  // A phone, a column of icons as the menu, a desk.
  breakpoints: { sm: '47.5em', lg: '68.75em' },
  // Names may be long: they break anywhere, so that the page is not wider than its window.
  components: {
    Title: Title.extend({ styles: { root: { overflowWrap: 'anywhere', letterSpacing: '-0.01em' } } }),
    Breadcrumbs: Breadcrumbs.extend({
      styles: { root: { flexWrap: 'wrap' }, breadcrumb: { whiteSpace: 'normal', overflowWrap: 'anywhere' } },
    }),
    Pill: Pill.extend({ styles: { root: { maxWidth: '100%' } } }),
    Card: Card.extend({
      defaultProps: { radius: 'md', withBorder: true },
      styles: { root: { background: 'var(--surface)', borderColor: 'var(--line)' } },
    }),
    Alert: Alert.extend({ defaultProps: { radius: 'md', variant: 'light' } }),
    Badge: Badge.extend({
      defaultProps: { variant: 'light', radius: 'xl' },
      styles: { root: { textTransform: 'none', fontWeight: 550, fontSize: 'var(--text-s)', height: 22 } },
    }),
    Button: Button.extend({ styles: { root: { fontWeight: 550 } } }),
    ActionIcon: ActionIcon.extend({ defaultProps: { size: 30 } }),
    NavLink: NavLink.extend({
      styles: {
        root: { borderRadius: 5, paddingBlock: 0, height: 'var(--row)' },
        label: { fontWeight: 500 },
      },
    }),
    Input: Input.extend({ styles: { input: { borderColor: 'var(--line-strong)' } } }),
    Modal: Modal.extend({
      defaultProps: { radius: 'lg' },
      styles: { content: { background: 'var(--surface)' }, header: { background: 'var(--surface)' } },
    }),
    Table: Table.extend({
      styles: {
        th: { fontSize: 'var(--text-xs)', fontWeight: 600, color: 'var(--text-3)', whiteSpace: 'nowrap' },
      },
    }),
    Tabs: Tabs.extend({ styles: { tab: { fontWeight: 500 } } }),
  },
});

/** Mantine's colour, and the token that says the same. */
const meanings = { red: 'bad', yellow: 'warn', teal: 'good', blue: 'info', cyan: 'accent' } as const;

const tinted = Object.fromEntries(
  Object.entries(meanings).flatMap(([color, token]) => [
    [`--mantine-color-${color}-light`, `var(--${token}-ground)`],
    [`--mantine-color-${color}-light-hover`, `var(--${token}-ground)`],
    [`--mantine-color-${color}-light-color`, `var(--${token})`],
    [`--mantine-color-${color}-text`, `var(--${token})`],
  ]),
);

const shared = {
  ...tinted,
  '--mantine-primary-color-contrast': 'var(--on-accent)',
  '--mantine-color-gray-light': 'var(--sunken)',
  '--mantine-color-gray-light-hover': 'var(--sunken)',
  '--mantine-color-gray-light-color': 'var(--text-2)',
  '--mantine-color-body': 'var(--ground)',
  '--mantine-color-text': 'var(--text-1)',
  '--mantine-color-dimmed': 'var(--text-2)',
  '--mantine-color-placeholder': 'var(--text-3)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--sunken)',
  '--mantine-color-default-color': 'var(--text-1)',
  '--mantine-color-default-border': 'var(--line-strong)',
};

/** Gives Mantine's variables the colours of the tokens. */
export const tokenColors: CSSVariablesResolver = () => ({
  variables: {},
  light: shared,
  dark: shared,
});
