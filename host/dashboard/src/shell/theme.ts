import { Breadcrumbs, createTheme, Pill, Title, type CSSVariablesResolver } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: 9,
  autoContrast: true,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, "Segoe UI", Roboto, "Noto Sans", "Noto Sans SC", "Microsoft YaHei", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", Consolas, monospace',
  cursorType: 'pointer',
  // Names may be long: they break anywhere, so that the page is not wider than its window.
  components: {
    Title: Title.extend({ styles: { root: { overflowWrap: 'anywhere' } } }),
    Breadcrumbs: Breadcrumbs.extend({
      styles: { root: { flexWrap: 'wrap' }, breadcrumb: { whiteSpace: 'normal', overflowWrap: 'anywhere' } },
    }),
    Pill: Pill.extend({ styles: { root: { maxWidth: '100%' } } }),
  },
});

/** Text colours on the tinted background of badges and alerts. */
const tintedText = {
  light: { red: '#8f1d1d', yellow: '#704700', teal: '#075a40', cyan: '#0a5363', gray: '#343a40' },
  dark: { red: '#ffc9c9', yellow: '#ffec99', teal: '#96f2d7', cyan: '#99e9f2', gray: '#e9ecef' },
} as const;

const tintedTextVariables = (scheme: keyof typeof tintedText): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tintedText[scheme]).map(([name, color]) => [`--mantine-color-${name}-light-color`, color]),
  );

/** Text colours that are darker or lighter than Mantine's, for a contrast of at least 4.5 to 1. */
export const readable: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-error': colors.red[9],
    '--mantine-color-anchor': colors.cyan[9],
    ...tintedTextVariables('light'),
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[1],
    '--mantine-color-error': colors.red[4],
    ...tintedTextVariables('dark'),
  },
});
