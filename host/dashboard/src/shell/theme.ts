import { Breadcrumbs, createTheme, Pill, Title, type CSSVariablesResolver } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: 9,
  autoContrast: true,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, "Segoe UI", Roboto, "Noto Sans", "Noto Sans SC", "Microsoft YaHei", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", Consolas, monospace',
  cursorType: 'pointer',
  // Names are as long as people make them: they break anywhere before they make the page wider than its window.
  components: {
    Title: Title.extend({ styles: { root: { overflowWrap: 'anywhere' } } }),
    Breadcrumbs: Breadcrumbs.extend({
      styles: { root: { flexWrap: 'wrap' }, breadcrumb: { whiteSpace: 'normal', overflowWrap: 'anywhere' } },
    }),
    Pill: Pill.extend({ styles: { root: { maxWidth: '100%' } } }),
  },
});

/** Texts on the tints of badges and notes. */
const inks = {
  light: { red: '#8f1d1d', yellow: '#704700', teal: '#075a40', cyan: '#0a5363', gray: '#343a40' },
  dark: { red: '#ffc9c9', yellow: '#ffec99', teal: '#96f2d7', cyan: '#99e9f2', gray: '#e9ecef' },
} as const;

const inksOf = (scheme: keyof typeof inks): Record<string, string> =>
  Object.fromEntries(
    Object.entries(inks[scheme]).map(([name, ink]) => [`--mantine-color-${name}-light-color`, ink]),
  );

/** Colours of texts that are too faint as Mantine has them: 4.5 to 1 is the least that everybody can read. */
export const readable: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-error': colors.red[9],
    '--mantine-color-anchor': colors.cyan[9],
    ...inksOf('light'),
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[1],
    '--mantine-color-error': colors.red[4],
    ...inksOf('dark'),
  },
});
