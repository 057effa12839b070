import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Components of Mantine whose styles the page does without: a third of all of its styles. */
const unused: readonly string[] = [
  ...['AngleSlider', 'Avatar', 'Blockquote', 'Cascader', 'Chip', 'DataList', 'Dialog', 'Divider'],
  ...['Drawer', 'EmptyState', 'Indicator', 'Kbd', 'Marquee', 'Menubar', 'Pagination'],
  ...['Rating', 'RingProgress', 'RollingNumber', 'Scroller', 'SemiCircleProgress', 'Skeleton', 'Splitter'],
  ...['Stepper', 'TableOfContents', 'Timeline', 'Toggle', 'Toolbar', 'Tooltip', 'Tour', 'Tree', 'TreeSelect'],
  'Typography',
];

/** Leaves those styles out; the build fails when the page uses one of the components. */
export function withoutUnusedStyles(): Plugin {
  return {
    name: 'without-unused-styles',
    apply: 'build',
    enforce: 'pre',
    load(id) {
      if (!/[\\/]@mantine[\\/]core[\\/]styles\.css$/.test(id)) return undefined;
      let styles = readFileSync(id, 'utf8');
      for (const name of unused) {
        const own = readFileSync(join(id, '..', 'styles', `${name}.css`), 'utf8').trim();
        if (!styles.includes(own))
          this.error(`The styles of Mantine do not hold those of ${name} as they are.`);
        styles = styles.replace(own, () => '');
      }
      return styles;
    },
    generateBundle(_options, bundle) {
      const rendered = Object.values(bundle).flatMap((one) =>
        one.type === 'chunk'
          ? Object.entries(one.modules).flatMap(([id, { renderedLength }]) =>
              renderedLength > 0 ? [id] : [],
            )
          : [],
      );
      for (const name of unused)
        if (rendered.some((id) => id.endsWith(`/${name}.module.mjs`)))
          this.error(`The page uses ${name} of Mantine now: take it out of the list in unused-styles.ts.`);
    },
  };
}
