/** What a placeholder stands for, and where it may be used. */
export interface Placeholder {
  /** `place`: of the group, also in texts that name a place; `tag`: of one tag; `value`: changes with every sample, in bodies alone. */
  readonly of: 'group' | 'tag' | 'value';
  /** What may follow the name after a colon. */
  readonly formats: readonly string[];
}

/** Placeholders by their names. */
export type Placeholders = ReadonlyMap<string, Placeholder>;

/** The placeholders of templates of samples. */
export const placeholders: Placeholders = new Map<string, Placeholder>([
  ['app', { of: 'group', formats: [] }],
  ['driver', { of: 'group', formats: [] }],
  ['node', { of: 'group', formats: [] }],
  ['group', { of: 'group', formats: [] }],
  ['tag', { of: 'tag', formats: [] }],
  ['address', { of: 'tag', formats: [] }],
  ['description', { of: 'tag', formats: [] }],
  ['type', { of: 'tag', formats: [] }],
  ['value', { of: 'value', formats: ['text'] }],
  ['time', { of: 'value', formats: ['s', 'ms', 'us', 'ns', 'iso'] }],
  ['quality', { of: 'value', formats: [] }],
  ['error', { of: 'value', formats: [] }],
  ['reason', { of: 'value', formats: [] }],
]);

/** `{tags}` begins what is repeated for every tag, `{/tags}` ends it; what may follow the name after a colon, with the text that goes between two tags. */
export const separators: ReadonlyMap<string, string> = new Map([
  ['', ','],
  ['lines', '\n'],
  ['joined', ''],
]);
