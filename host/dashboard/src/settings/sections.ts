import type { RJSFSchema } from '@rjsf/utils';

/** The parts of a form, in their order. */
export const sections = ['connection', 'security', 'behaviour', 'advanced'] as const;
export type Section = (typeof sections)[number];

const isSection = (name: unknown): name is Section => sections.some((section) => section === name);

/** Where a setting is shown. */
export function sectionOf(setting: RJSFSchema | undefined): Section {
  const { 'x-section': section } = (setting ?? {}) as { readonly 'x-section'?: unknown };
  return isSection(section) ? section : 'behaviour';
}
